package gvisor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/ktime"
	sentrytime "gvisor.dev/gvisor/pkg/sentry/time"
)

// fixedAt returns the state of a deterministic box, and what says go in it.
func fixedAt() (f *fixed, sayGo func()) {
	said := false
	return &fixed{said: func() bool { return said }}, func() { said = true }
}

// TestFixedFieldsAreGvisors holds the fields of gVisor that fixClocks sets to the
// version that is linked.
func TestFixedFieldsAreGvisors(t *testing.T) {
	if _, err := field[sentrytime.Clocks](&kernel.Timekeeper{}, "clocks"); err != nil {
		t.Error(err)
	}
	if _, err := field[ktime.Time](&kernel.Timekeeper{}, "bootTime"); err != nil {
		t.Error(err)
	}
	if _, err := field[*kernel.VDSOParamPage](&kernel.Kernel{}, "vdsoParams"); err != nil {
		t.Error(err)
	}
	if _, err := field[int](&kernel.Timekeeper{}, "clocks"); err == nil {
		t.Error("a field of another type was taken")
	}
	if _, err := field[int](&kernel.Timekeeper{}, "nosuch"); err == nil {
		t.Error("a field that is not there was taken")
	}
}

func TestTimeBeginsWhenTheGuestHearsGo(t *testing.T) {
	f, sayGo := fixedAt()
	f.hear()
	if f.running() {
		t.Error("time runs before go")
	}
	sayGo()
	if f.running() {
		t.Error("time runs before the guest has heard go")
	}
	f.hear()
	if !f.running() {
		t.Error("go was said and heard, and time stands")
	}
}

// TestClocksOfProcesses: a child begins with its parent's time; what it does
// moves nobody else.
func TestClocksOfProcesses(t *testing.T) {
	f, _ := fixedAt()
	f.set(1, 500)
	if got := f.now(2, 1); got != 500 {
		t.Errorf("a child begins at %d, want its parent's 500", got)
	}
	f.set(2, 900)
	if got := f.now(1, 0); got != 500 {
		t.Errorf("the parent is at %d: its child moved it", got)
	}
	if got := f.latest.Load(); got != 900 {
		t.Errorf("files are stamped %d, want the latest, 900", got)
	}
	for i := range kernel.ThreadID(3 * maxClocks) {
		f.set(i+10, 1000)
	}
	if len(f.clocks) > maxClocks {
		t.Errorf("%d clocks are kept", len(f.clocks))
	}
	if got := f.now(5, 4); got < 900 {
		t.Errorf("a process that was forgotten is back at %d", got)
	}
}

func TestStreamsOfChance(t *testing.T) {
	f, sayGo := fixedAt()
	one, two := &chance{}, &chance{}
	one.fixed.Store(f)
	two.fixed.Store(f)
	draw := func(c *chance, who kernel.ThreadID) uint64 {
		var b [8]byte
		c.draw(who, b[:])
		return binary.LittleEndian.Uint64(b[:])
	}
	a, b := draw(one, 1), draw(one, 2)
	if a == b {
		t.Error("two threads draw the same")
	}
	if draw(two, 2) != b || draw(two, 1) != a {
		t.Error("which thread draws first moves what they draw")
	}
	sayGo()
	f.hear()
	live := draw(one, 1)
	if live == a || live != draw(two, 1) {
		t.Error("what was drawn before go moves what is drawn from then on")
	}
	seen := map[uint64]bool{}
	for i := range kernel.ThreadID(2*maxStreams + 10) {
		seen[draw(one, i+1)] = true
	}
	if again := draw(one, 1); seen[again] {
		t.Error("a thread draws again what was drawn")
	}
	if len(one.streams) > maxStreams {
		t.Errorf("%d streams are kept", len(one.streams))
	}
}

// TestChanceIsTheHostsOtherwise: where nothing is fixed the host is asked.
func TestChanceIsTheHostsOtherwise(t *testing.T) {
	c := &chance{host: bytes.NewReader([]byte("host"))}
	got := make([]byte, 4)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "host" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.Read(got); !errors.Is(err, io.EOF) {
		t.Errorf("the host's error is lost: %v", err)
	}
}
