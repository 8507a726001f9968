package native

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/events"
	"palisade/internal/sandbox"
)

// Acts are recorded from what the kernel tells before a call is made, see package
// events. The host looks at what the call names, so that it can say of most acts
// that will not happen that they were refused; whether one that could happen did,
// it does not see.

// beginActs starts the record: go is about to be said.
func (s *seen) beginActs(now time.Time) error {
	aborts, err := events.Aborts(s.run.job.Abort)
	if err != nil {
		return err
	}
	return s.acts.Begin(now, events.Orders{Aborts: aborts, Spared: s.run.job.Program.Language != palisade.Python})
}

// deniedDetail and endedDetail say why an act did not happen.
const (
	deniedDetail = "denied by policy"
	endedDetail  = "ended the run"
)

// tell records what a call would do, and returns with what it is to fail; 0: the
// kernel answers.
func (s *seen) tell(name string, n notification) unix.Errno {
	if !s.acts.On() {
		return 0
	}
	acts := s.describe(name, n)
	if len(acts) == 0 || !s.valid(n) {
		return 0 // whoever made the call is gone, and what was read may be another's
	}
	var errno unix.Errno
	for _, a := range acts {
		if s.acts.Spare(a.kind) {
			continue
		}
		if s.acts.Aborts(a.kind) && !a.near {
			s.acts.Record(a.kind, a.what, endedDetail, true)
			s.endRun(a.kind)
			return unix.EPERM
		}
		s.record(a)
		errno = a.errno
	}
	return errno
}

// record records one act.
func (s *seen) record(a act) {
	switch {
	case a.counted:
		s.acts.Count(a.kind)
		return
	case a.fails != "":
		s.acts.Record(a.kind, a.what, strings.TrimSpace(a.fails+" "+a.detail), true)
		return
	case a.kind == events.Fork:
		s.acts.Started()
	}
	s.acts.Record(a.kind, a.what, a.detail, false)
}

// tellRefused records a call that policy denies: by its name, and as what it would
// have done.
func (s *seen) tellRefused(name string, n notification) {
	if !s.acts.On() {
		return
	}
	var acts []act
	switch name {
	case "execve", "execveat", "fork", "vfork", "clone", "connect", "sendto":
		acts = s.describe(name, n)
	}
	if !s.valid(n) {
		return
	}
	s.acts.Record(events.Syscall, name, "", true)
	ends, by := s.acts.Aborts(events.Syscall), events.Syscall
	for _, a := range acts {
		s.acts.Record(a.kind, a.what, deniedDetail, true)
		if s.acts.Aborts(a.kind) && !a.near {
			ends, by = true, a.kind
		}
	}
	if ends {
		s.endRun(by)
	}
}

// endRun ends the run on an act of a kind. From now on no call that the host is
// told of is answered, so that whoever made one never goes on.
func (s *seen) endRun(by events.Kind) {
	s.acts.End(by)
	s.ended = true
	s.run.watch.Kill(sandbox.KillEvent)
	if s.run.group != nil {
		s.run.group.Kill() // at once, and not after the box's first process
	}
}

// observeActs adds what was told.
func (s *seen) observeActs(o *sandbox.Observed) {
	report, err := s.acts.Report()
	if err != nil {
		s.run.log.Error("what a box did cannot be read", slog.String("box", s.run.id), slog.Any("error", err))
		report.Activity.Dropped++
	}
	o.Activity = report.Activity
	o.Usage.Processes = report.Started + 1
	if by, ended := s.acts.Ended(); ended && (o.Kill == sandbox.NotKilled || o.Kill == sandbox.KillEvent) {
		o.Kill = sandbox.KillEvent
		o.Reason = fmt.Sprintf("policy ends a run on %s", by)
		o.Fix = by.Phrase() + " ended the run: the profile does not let a program go on that tries"
	}
}
