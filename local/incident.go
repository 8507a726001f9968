package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/config"
	"palisade/internal/incident"
)

// Incident is the emergency brake of a state folder, for whoever pulls it. What
// is switched on takes effect first and is then put on the record, so that a
// record that cannot be written holds nothing up; what is lifted is recorded
// first.
type Incident struct {
	folder *incident.Folder
	record func(ctx context.Context, e palisade.Event) error
	close  func() error
}

// Stopped is what came of pulling the brake.
type Stopped struct {
	Running []incident.Running `json:"running"` // what was to end
	Left    []incident.Running `json:"left"`    // what did not, within Patience
	Took    time.Duration      `json:"took"`
}

// Patience is how long runs that were ended are waited for.
const Patience = 5 * time.Second

// OpenIncident opens the brake of a gate's state folder. It needs neither a
// sandbox nor a policy, and no record until something was switched. Where the
// configuration cannot be read, a state folder that is named outside of it will
// do; nothing can be recorded then.
func OpenIncident(ctx context.Context, c Config) (*Incident, error) {
	cfg, err := Settings(c)
	if err != nil {
		return openBlind(c, err)
	}
	if err := os.MkdirAll(cfg.State, 0o700); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	folder, err := openFolder(cfg, func() (incident.State, error) { return recordedState(ctx, c, cfg), nil })
	if err != nil {
		return nil, err
	}
	record := func(ctx context.Context, e palisade.Event) error {
		log, err := openLog(ctx, c, cfg)
		if err != nil {
			return err
		}
		return errors.Join(log.Append(ctx, true, e), log.Close())
	}
	return &Incident{folder, record, folder.Close}, nil
}

// openBlind opens the brake of a state folder whose configuration cannot be read
// because of an error. It makes none: which record it belongs to is not known.
func openBlind(c Config, unread error) (*Incident, error) {
	home := cmp.Or(c.Home, os.Getenv("PALISADE_HOME"))
	state, err := filepath.Abs(home)
	if home == "" || err != nil {
		return nil, unread // where the state folder is, only the configuration knows
	}
	folder, err := openFolder(&config.Config{State: state}, func() (incident.State, error) { return incident.State{}, unread })
	if err != nil {
		return nil, errors.Join(unread, err)
	}
	record := func(context.Context, palisade.Event) error { return unread }
	return &Incident{folder, record, folder.Close}, nil
}

// Incident is the gate's own brake.
func (g *Gate) Incident() *Incident {
	record := func(ctx context.Context, e palisade.Event) error { return g.log.Append(ctx, true, e) }
	return &Incident{g.folder, record, func() error { return nil }}
}

// openFolder opens the brake in a state folder; lost tells what was switched
// where there is none.
func openFolder(cfg *config.Config, lost func() (incident.State, error)) (*incident.Folder, error) {
	return incident.OpenFolder(incident.FolderConfig{Path: filepath.Join(cfg.State, "incident"), Now: time.Now, Lost: lost})
}

// recordedState is what the record says was switched last. A record that cannot
// be read leaves doubt, and doubt is a lockdown.
func recordedState(ctx context.Context, c Config, cfg *config.Config) incident.State {
	if _, err := os.Lstat(cfg.Audit.Folder); errors.Is(err, os.ErrNotExist) {
		return incident.State{}
	}
	log, err := openLog(ctx, c, cfg)
	if err == nil {
		var s incident.State
		s, err = lastSwitched(ctx, log)
		if err = errors.Join(err, log.Close()); err == nil {
			return s
		}
	}
	why := "the brake is not there, and the record cannot say how it was: " + err.Error()
	return incident.State{Lockdown: incident.Switch{On: true, Why: why}}
}

func lastSwitched(ctx context.Context, log *audit.Log) (incident.State, error) {
	var s incident.State
	err := log.Update(ctx, func(v audit.View) ([]palisade.Event, error) {
		for r, err := range v.Records(0, incident.KindLockdown, incident.KindEgress) {
			if err != nil {
				return nil, err
			}
			to := incident.Change{Switch: incident.Switch{On: true, Why: "what was switched is no longer on the record"}}
			if err := r.Decode(&to); err != nil && !errors.Is(err, audit.ErrForgotten) {
				return nil, err
			}
			if r.Kind == incident.KindLockdown {
				s.Lockdown = to.Switch
			} else {
				s.EgressOff = to.Switch
			}
		}
		return nil, nil
	})
	return s, err
}

// Close releases what was opened.
func (i *Incident) Close() error { return i.close() }

// State is what is switched; an error means that it cannot be read, which is a
// lockdown.
func (i *Incident) State() (incident.State, error) { return i.folder.State() }

// Running lists the runs that gates of the state folder are executing.
func (i *Incident) Running() ([]incident.Running, error) { return i.folder.Running() }

// ErrUnrecorded says that the brake was pulled, and that it is not on the record.
var ErrUnrecorded = errors.New("it took effect, but could not be recorded")

// Lockdown ends every run and lets none start, until it is lifted.
func (i *Incident) Lockdown(ctx context.Context, on bool, who, why string) (Stopped, error) {
	to := incident.Switch{On: on, Who: who, Why: why}
	all := func(incident.Running) bool { return true }
	return i.pull(ctx, incident.KindLockdown, incident.SetLockdown, to, all)
}

// Egress cuts every way out of every box, or opens what policy allows again.
func (i *Incident) Egress(ctx context.Context, off bool, who, why string) error {
	to := incident.Switch{On: off, Who: who, Why: why}
	_, err := i.pull(ctx, incident.KindEgress, incident.SetEgressOff, to, func(incident.Running) bool { return false })
	return err
}

func (i *Incident) pull(ctx context.Context, kind palisade.EventKind, set incident.Switching, to incident.Switch, ends func(incident.Running) bool) (Stopped, error) {
	start := time.Now()
	change := palisade.Event{Kind: kind, Time: start, Data: incident.Change{Switch: at(to, start)}}
	if !to.On {
		if err := i.record(ctx, change); err != nil {
			return Stopped{}, fmt.Errorf("it stays as it is, since that it is lifted could not be recorded: %w", err)
		}
		return Stopped{}, i.folder.Set(set, to)
	}
	was, listed := i.folder.Running() // a list is a comfort: the brake does not wait for it
	if err := i.folder.Set(set, to); err != nil {
		return Stopped{}, err
	}
	change.Data = incident.Change{Switch: at(to, start), Running: names(was)}
	out, err := i.await(ctx, start, was, change, ends)
	return out, errors.Join(listed, err)
}

func at(s incident.Switch, when time.Time) incident.Switch {
	s.When = when.UTC()
	return s
}

func names(all []incident.Running) []string {
	var out []string
	for _, r := range all {
		out = append(out, r.Run)
	}
	return out
}

// await records what was done while what it ends is ending.
func (i *Incident) await(ctx context.Context, start time.Time, was []incident.Running, e palisade.Event, ends func(incident.Running) bool) (Stopped, error) {
	recorded := make(chan error, 1)
	go func() { recorded <- i.record(context.WithoutCancel(ctx), e) }()
	waiting, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	left, err := i.folder.Wait(waiting, ends)
	out := Stopped{Left: left, Took: time.Since(start)}
	for _, r := range was {
		if ends(r) {
			out.Running = append(out.Running, r)
		}
	}
	if unrecorded := <-recorded; unrecorded != nil {
		err = errors.Join(err, fmt.Errorf("%w: %w", ErrUnrecorded, unrecorded))
	}
	return out, err
}

// ErrNotRunning says that no such run is being executed.
var ErrNotRunning = errors.New("no such run is running")

// Kill ends runs: one by its ID, those of a tenant, or all that run now.
func (i *Incident) Kill(ctx context.Context, r incident.Request) (Stopped, error) {
	start := time.Now()
	r.When = start.UTC()
	earlier, _ := i.folder.Running() // what ends before the next look was ended by this too
	withdraw, err := i.folder.Kill(r)
	if err != nil {
		return Stopped{}, err
	}
	// The request stands already: a run that ends between these lines is dead.
	ends := func(one incident.Running) bool { return r.Matches(one.Run, one.Tenant) }
	was, listed := i.folder.Running()
	for _, one := range earlier {
		if !slices.ContainsFunc(was, func(later incident.Running) bool { return later.Run == one.Run }) {
			was = append(was, one)
		}
	}
	event := palisade.Event{Kind: incident.KindKill, Time: start, Data: killed{r, matching(was, ends)}}
	out, err := i.await(ctx, start, was, event, ends)
	err = errors.Join(listed, err, withdraw())
	if err == nil && r.Run != "" && len(out.Running) == 0 {
		err = fmt.Errorf("%s: %w", r.Run, ErrNotRunning)
	}
	return out, err
}

// killed is the payload of a KindKill record.
type killed struct {
	incident.Request
	Running []string `json:"running"`
}

func matching(all []incident.Running, ends func(incident.Running) bool) []string {
	out := []string{}
	for _, r := range all {
		if ends(r) {
			out = append(out, r.Run)
		}
	}
	return out
}
