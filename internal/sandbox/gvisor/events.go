package gvisor

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"palisade"
	"palisade/internal/events"
	"palisade/internal/sandbox"
)

// Events are recorded by the guard in the box's kernel, behind its meter
// (guard_events.go). The host reads the file and never maps it: one that a broken
// kernel cuts short must be an error, not a fault.

// recorded reports an error unless the box's kernel will tell what happens.
func (b *box) recorded() error {
	f, err := os.Open(b.meterPath())
	if err != nil {
		return err
	}
	defer f.Close()
	there, _, _, err := events.Look(f, meterSize)
	if err == nil && !there {
		err = errNoGuard
	}
	return err
}

// beginEvents tells the box's kernel that go is about to be said.
func (b *box) beginEvents() error {
	aborts, err := events.Aborts(b.job.Abort)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(b.meterPath(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b.meter = f
	if b.deaf {
		return nil
	}
	return events.Begin(f, meterSize, time.Now(), events.Orders{
		Aborts: aborts, Spared: b.job.Program.Language != palisade.Python,
	})
}

// endedOnEvent reports whether the box's kernel ended the run on an act. One
// that cannot be asked did not.
func (b *box) endedOnEvent() bool {
	_, _, ended, err := events.Look(b.meter, meterSize)
	return err == nil && ended
}

// observeEvents adds what the box's kernel told.
func (b *box) observeEvents(o *sandbox.Observed) {
	region := make([]byte, events.Size)
	_, err := b.meter.ReadAt(region, meterSize)
	report, err2 := events.Read(region)
	if err := errors.Join(err, err2); err != nil {
		// What was read stands. The run's end is judged from other things.
		b.log.Error("what a box tells of its acts cannot be read", slog.String("box", b.remote.id), slog.Any("error", err))
		report.Activity.Dropped++
	}
	o.Activity = report.Activity
	o.Usage.Processes, o.Usage.DiskWritten = report.Started+1, report.Written
	if _, by, ended, err := events.Look(b.meter, meterSize); err == nil && ended && (o.Kill == sandbox.NotKilled || o.Kill == sandbox.KillEvent) {
		o.Kill = sandbox.KillEvent
		o.Reason = fmt.Sprintf("policy ends a run on %s", by)
		o.Fix = by.Phrase() + " ended the run: the profile does not let a program go on that tries"
	}
}
