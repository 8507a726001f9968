package audit

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"palisade"
)

// Reader reads a log with its public key alone; nothing is written, and whoever
// writes meanwhile is not kept waiting. It shows the log as it was when it was
// opened.
type Reader struct {
	dir  *os.Root
	view View
}

// OpenReader opens a log's folder for reading. publicKey is what ReadPublicKey
// returns. A log that does not agree with its own signed heads is a
// *TamperError; see Verify for a full account.
func OpenReader(dir, publicKey string) (*Reader, error) {
	key, err := parsePublic(publicKey)
	if err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	var s *state
	for try := 0; ; try++ {
		s, _, err = readState(root, key, false)
		if err == nil || try == liveTries || !settle(root, try) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Reader{root, s.view()}, nil
}

// A log may be written while it is read; what looks wrong is looked at again.
const liveTries = 4

// settle waits a moment and reports whether the log changed meanwhile or may
// have.
func settle(dir *os.Root, try int) bool {
	before, _ := readFile(dir, fileHead, maxHead)
	time.Sleep(time.Duration(1+try) * 10 * time.Millisecond)
	after, _ := readFile(dir, fileHead, maxHead)
	return try == 0 || string(before) != string(after)
}

// Close releases the folder.
func (r *Reader) Close() error { return r.dir.Close() }

// View returns the whole log.
func (r *Reader) View() View { return r.view }

// Run sums up one run. What its payloads say is empty when they were forgotten.
type Run struct {
	ID        string    `json:"run"`
	First     int64     `json:"first"` // index of its first entry
	Last      int64     `json:"last"`
	Entries   int       `json:"entries"`
	Began     time.Time `json:"began"`
	Ended     time.Time `json:"ended"` // of its last entry
	Decision  string    `json:"decision,omitempty"`
	Status    string    `json:"status,omitempty"`
	Complete  bool      `json:"complete"` // has an end: outcome, rejected or failed
	Submitter string    `json:"submitter,omitempty"`
	Door      string    `json:"door,omitempty"`
	Profile   string    `json:"profile,omitempty"`
	Program   string    `json:"program,omitempty"`
	Language  string    `json:"language,omitempty"`

	received, decided, end int64 // indexes of entries; -1: none
	failed                 palisade.EventKind
}

// Filter chooses runs. Zero fields choose all.
type Filter struct {
	Since, Until time.Time // of the run's first entry; Until is exclusive
	Decision     string
	Status       string
	Submitter    string
	Limit        int // at most so many, the newest
}

// List returns runs, the newest first.
func (r *Reader) List(f Filter) ([]Run, error) {
	runs, err := r.runs()
	if err != nil {
		return nil, err
	}
	var chosen []Run
	for _, run := range slices.Backward(runs) {
		if !f.Since.IsZero() && run.Began.Before(f.Since) || !f.Until.IsZero() && !run.Began.Before(f.Until) {
			continue
		}
		if err := r.describe(&run); err != nil {
			return nil, err
		}
		if f.Decision != "" && f.Decision != run.Decision || f.Status != "" && f.Status != run.Status ||
			f.Submitter != "" && f.Submitter != run.Submitter {
			continue
		}
		chosen = append(chosen, run)
		if len(chosen) == f.Limit {
			break
		}
	}
	return chosen, nil
}

// runs groups all entries by run, in the order of their beginnings.
func (r *Reader) runs() ([]Run, error) {
	var runs []Run
	at := map[string]int{}
	for rec, err := range r.view.records(0, false, func([]byte) bool { return true }) {
		if err != nil {
			return nil, err
		}
		if rec.Run == "" {
			continue
		}
		i, ok := at[rec.Run]
		if !ok {
			i = len(runs)
			at[rec.Run] = i
			runs = append(runs, Run{ID: rec.Run, First: rec.Index, Began: rec.Time, received: -1, decided: -1, end: -1})
		}
		runs[i].add(rec.Entry)
	}
	return runs, nil
}

func (r *Run) add(e Entry) {
	r.Last, r.Ended = e.Index, e.Time
	r.Entries++
	switch e.Kind {
	case palisade.EventReceived:
		r.received = e.Index
	case palisade.EventDecided:
		r.decided = e.Index
	case palisade.EventOutcome:
		r.end, r.Complete = e.Index, true
	case palisade.EventRejected, palisade.EventFailed:
		r.failed, r.Complete = e.Kind, true
	}
}

// describe fills in what the payloads say.
func (r *Reader) describe(run *Run) error {
	var received struct {
		Submitter, Door, Profile string
		Program                  struct{ Name, Language string }
	}
	var decided struct{ Decision, Profile string }
	var outcome struct{ Decision, Status string }
	for _, p := range []struct {
		index int64
		into  any
	}{{run.received, &received}, {run.decided, &decided}, {run.end, &outcome}} {
		if p.index < 0 {
			continue
		}
		rec, err := r.view.record(p.index)
		if err != nil {
			return err
		}
		if err := rec.Decode(p.into); err != nil && !errors.Is(err, ErrForgotten) {
			return err
		}
	}
	run.Submitter, run.Door = received.Submitter, received.Door
	run.Program, run.Language = received.Program.Name, received.Program.Language
	run.Profile = cmp.Or(decided.Profile, received.Profile)
	run.Decision = cmp.Or(outcome.Decision, decided.Decision)
	run.Status = cmp.Or(outcome.Status, string(run.failed))
	return nil
}

// ErrNoRun says that no run has the ID.
var ErrNoRun = errors.New("no such run on the record")

// ErrManyRuns says that more than one run's ID begins so.
var ErrManyRuns = errors.New("more than one run begins so")

// Show returns a run and its records, in order. id is the run's ID or the
// beginning of it, if only one run begins so.
func (r *Reader) Show(id string) (Run, []Record, error) {
	runs, err := r.runs()
	if err != nil {
		return Run{}, nil, err
	}
	var found []Run
	for _, run := range runs {
		if run.ID == id {
			found = []Run{run}
			break
		}
		if id != "" && strings.HasPrefix(run.ID, id) {
			found = append(found, run)
		}
	}
	switch {
	case len(found) == 0:
		return Run{}, nil, fmt.Errorf("%.80q: %w", id, ErrNoRun)
	case len(found) > 1:
		return Run{}, nil, fmt.Errorf("%.80q: %w (%d do)", id, ErrManyRuns, len(found))
	}
	run := found[0]
	if err := r.describe(&run); err != nil {
		return Run{}, nil, err
	}
	var records []Record
	for rec, err := range r.view.Records(run.First) {
		if err != nil {
			return Run{}, nil, err
		}
		if rec.Run == run.ID {
			records = append(records, rec)
		}
		if rec.Index == run.Last {
			break
		}
	}
	return run, records, nil
}

// Proof shows that an entry is in the log of a signed head (RFC 6962 audit
// path).
type Proof struct {
	Index int64            `json:"index"`
	Entry string           `json:"entry"` // the entry as it is in the log
	Path  tlog.RecordProof `json:"path"`  // base64
	Head  string           `json:"head"`  // the signed head
}

// Prove returns the proof for an entry.
func (r *Reader) Prove(index int64) (Proof, error) { return r.view.Prove(index) }

// Prove returns the proof for an entry.
func (v View) Prove(index int64) (Proof, error) {
	rec, err := v.record(index)
	if err != nil {
		return Proof{}, err
	}
	path, err := tlog.ProveRecord(v.Size(), index, v.s.tileReader().hashes())
	if err != nil {
		return Proof{}, fmt.Errorf("prove entry %d: %w", index, err)
	}
	return Proof{index, string(rec.encode()), path, string(v.Head().Note)}, nil
}

// Check reports an error unless the proof holds under a public key.
func (p Proof) Check(publicKey string) error {
	key, err := parsePublic(publicKey)
	if err != nil {
		return fmt.Errorf("audit key: %w", err)
	}
	h, err := openHead([]byte(p.Head), key)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(p.Path, h.Size, h.Root, p.Index, tlog.RecordHash([]byte(p.Entry)))
}
