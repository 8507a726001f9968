package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/config"
	"palisade/internal/policy"
	"palisade/internal/store"
)

// DoorAPI is the way in of a server: each of its keys says which profiles it may
// name.
const DoorAPI = "api"

// doors are who may name which profiles, by their way in.
func doors(cfg *config.Config) map[string][]string {
	all := maps.Clone(cfg.Callers.Doors)
	if _, said := all[DoorAPI]; said {
		return all
	}
	if all == nil {
		all = map[string][]string{}
	}
	all[DoorAPI] = []string{policy.Any}
	return all
}

// observed is a recorder that tells of what is on the record.
type observed struct {
	palisade.Recorder
	tell func(palisade.Event)
}

// Append implements [palisade.Recorder].
func (o observed) Append(ctx context.Context, durable bool, events ...palisade.Event) error {
	if err := o.Recorder.Append(ctx, durable, events...); err != nil || o.tell == nil {
		return err
	}
	for _, e := range events {
		o.tell(e)
	}
	return nil
}

// ErrServed says that another process serves the state folder.
var ErrServed = errors.New("another palisade serve has this state folder")

// Hold takes the state folder for a server: what it calls unfinished at its start,
// nobody else works on. Closing what it returns gives it back, as does the
// process's end.
func Hold(cfg *config.Config) (*os.File, error) {
	if err := os.MkdirAll(cfg.State, 0o700); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(cfg.State, "serve.lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", cfg.State, ErrServed), lock.Close())
	}
	return lock, nil
}

// Recover gives every run that came in through a door, and that nobody works on
// any more, its end on the record. It returns how many there were.
func (i *Index) Recover(ctx context.Context, door string) (int, error) {
	runs, err := i.Unfinished(ctx, door)
	if err != nil {
		return 0, err
	}
	for n, r := range runs {
		e, err := store.Interrupted(r, time.Now())
		if err == nil {
			err = i.record.Append(ctx, true, e)
		}
		if err != nil {
			return n, fmt.Errorf("run %s was interrupted, and that could not be recorded: %w", r.ID, err)
		}
	}
	return len(runs), i.Sync(ctx)
}

// View returns the record as it is now.
func (i *Index) View(ctx context.Context) (audit.View, error) { return i.record.Snapshot(ctx) }

// Payload returns what stands at an index of the record; nil where it is no longer
// kept.
func (i *Index) Payload(ctx context.Context, index int64) (json.RawMessage, error) {
	var last error
	for range 3 { // a view is of one moment: what it was to read may have been moved since
		v, err := i.record.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		for r, err := range v.Records(index) {
			if err == nil {
				return r.Data, nil
			}
			last = err
			break
		}
		if last == nil {
			return nil, fmt.Errorf("entry %d is not on the record", index)
		}
	}
	return nil, last
}
