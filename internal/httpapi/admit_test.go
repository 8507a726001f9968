package httpapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"palisade"
	"palisade/internal/auth"
)

// TestAdmission: places are bounded for all and for each tenant; tenants that wait
// take turns; who gives up is passed over; nothing is lost.
func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(Limits{Running: 2, TenantRunning: 1, TenantQueue: 2, Rate: 10}, time.Now)
		enter := func(name string) chan error {
			done := make(chan error, 1)
			go func() { done <- a.enter(context.Background(), name, time.Minute) }()
			synctest.Wait()
			return done
		}
		if err := <-enter("blue"); err != nil {
			t.Fatal(err)
		}
		second, third := enter("blue"), enter("blue")
		if err := <-enter("blue"); err == nil || a.full("blue") == nil {
			t.Error("a third waits where two may")
		}
		if err := <-enter("red"); err != nil {
			t.Errorf("another tenant waits: %v", err)
		}
		green := enter("green")
		a.leave("blue") // blue was first to wait, and may run one
		if err := <-second; err != nil {
			t.Error(err)
		}
		a.leave("blue")
		if err := <-green; err != nil {
			t.Errorf("no turns: %v", err)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		gone := make(chan error, 1)
		go func() { gone <- a.enter(ctx, "gone", time.Minute) }()
		synctest.Wait()
		cancel(errHungUp)
		if err := <-gone; !errors.Is(err, errHungUp) {
			t.Errorf("who hung up: %v", err)
		}
		a.leave("red")
		if err := <-third; err != nil {
			t.Error(err)
		}
		a.leave("green")
		a.leave("blue")
		if running, waiting := a.load(); running != 0 || waiting != 0 {
			t.Errorf("%d run and %d wait at the end", running, waiting)
		}
		_ = a.enter(context.Background(), "blue", time.Minute)
		start := time.Now()
		if err := a.enter(context.Background(), "blue", time.Second); err == nil || time.Since(start) != time.Second {
			t.Errorf("no end of patience: %v", err)
		}
	})
}

// TestBodiesAreShared: what one tenant sends at once is bounded, and leaves room for
// others; what was given back can be taken again.
func TestBodiesAreShared(t *testing.T) {
	a := newAdmission(Limits{}.complete(), time.Now)
	var kept []func()
	for range tenantBodies / defaultBody {
		release, failed := a.hold("blue", defaultBody)
		if failed != nil {
			t.Fatal(failed)
		}
		kept = append(kept, release)
	}
	if _, failed := a.hold("blue", 1); failed == nil || failed.status != 503 || failed.retry == 0 {
		t.Errorf("more than a tenant's share: %v", failed)
	}
	for i, name := range []string{"red", "green", "white"} {
		if _, failed := a.hold(name, tenantBodies); failed != nil {
			t.Errorf("tenant %d has no room: %v", i, failed)
		}
	}
	if _, failed := a.hold("black", 1); failed == nil {
		t.Error("more than all bodies")
	}
	kept[0]()
	if _, failed := a.hold("blue", defaultBody); failed != nil {
		t.Errorf("what was given back: %v", failed)
	}
}

// stuck is a gate that takes a program once it is told to.
type stuck chan struct{}

func (g stuck) Run(context.Context, palisade.Submission) (palisade.Outcome, error) {
	<-g
	return palisade.Outcome{}, &palisade.InputError{Reason: "it waited"}
}

// TestBodiesOfWhatWaits: the room of a program that goes on after the answer is given
// back at its end, not at the answer's.
func TestBodiesOfWhatWaits(t *testing.T) {
	gate := make(stuck)
	s := &Server{c: Config{Gate: gate}, admission: newAdmission(Limits{}.complete(), time.Now), runs: newRuns()}
	release, _ := s.admission.hold("blue", 1000)
	r := &room{release: release}
	who := asking{auth.Caller{Tenant: "blue"}, func(context.Context) error { return nil }}
	ctx := context.WithValue(context.WithValue(t.Context(), callerKey{}, who), roomKey{}, r)
	l, failed := s.start(ctx, palisade.Submission{Run: "r"}, false, time.Second)
	if failed != nil {
		t.Fatal(failed)
	}
	held := func() int64 {
		s.admission.mu.Lock()
		defer s.admission.mu.Unlock()
		return s.admission.held
	}
	r.leave() // as at the answer to respond-async
	if held() != 1000 {
		t.Errorf("%d bytes are held while it runs, want 1000", held())
	}
	close(gate)
	<-l.done
	for end := time.Now().Add(5 * time.Second); held() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are held after its end", held())
		}
	}
}
