package approval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"palisade"
)

func needs(n int) func(palisade.Verdict) int { return func(palisade.Verdict) int { return n } }

func (b *bench) answer(q *Queue, a palisade.Approval, who string, yes bool, also ...string) (palisade.Approval, error) {
	b.t.Helper()
	return q.Answer(context.Background(), Decision{Ticket: a.Ticket, Digest: a.Binding.String(), Approver: who, Also: also, Approve: yes, Comment: "by " + who})
}

func (b *bench) item(q *Queue, ticket string) Item {
	b.t.Helper()
	_, item, err := q.Show(context.Background(), ticket)
	if err != nil {
		b.t.Fatal(err)
	}
	return item
}

// TestSeveralApprovers wants two humans, and takes nobody twice, under whatever
// name.
func TestSeveralApprovers(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{Need: needs(2)})
	a := take(t, q, "run1", question())
	if got, err := b.answer(q, a, "uid:2000", true, "uid:0"); err != nil || got.Granted {
		t.Fatalf("one yes of two: %+v, %v", got, err)
	}
	if got := take(t, q, "run2", question()); got.Granted || got.Denied || got.Ticket != a.Ticket {
		t.Errorf("after one yes: %+v", got)
	}
	if item := b.item(q, a.Ticket); item.Standing != Waiting || item.Need != 2 || item.Approved != 1 || item.Approver != "uid:2000" {
		t.Errorf("%+v", item)
	}
	for _, again := range [][]string{{"uid:2000"}, {"uid:0"}, {"uid:7", "uid:2000"}, {"uid:7", "uid:0"}} {
		if _, err := b.answer(q, a, again[0], true, again[1:]...); !errors.Is(err, ErrTwice) {
			t.Errorf("%v: %v", again, err)
		}
	}
	if _, err := b.answer(q, a, "uid:7", true); err != nil {
		t.Error(err)
	}
	if item := b.item(q, a.Ticket); item.Standing != Approved || item.Approved != 2 || item.Approver != "uid:2000, uid:7" {
		t.Errorf("%+v", item)
	}
	if _, err := b.answer(q, a, "uid:8", false); !errors.Is(err, ErrAnswered) {
		t.Errorf("a no after two yes: %v", err)
	}
	// Another process, after a restart.
	if got := take(t, b.queue(Config{Need: needs(2)}), "run3", question()); !got.Granted || got.Approver != "uid:2000, uid:7" || got.Comment != "by uid:2000; by uid:7" {
		t.Errorf("%+v", got)
	}
	if got := take(t, q, "run4", question()); got.Granted {
		t.Error("it was used twice")
	}
}

// TestOneNoIsEnough also from somebody who said yes before.
func TestOneNoIsEnough(t *testing.T) {
	for _, who := range []string{"uid:2000", "uid:3000", "uid:1000"} {
		b := newBench(t)
		q := b.queue(Config{Need: needs(3)})
		a := take(t, q, "run1", question())
		for _, yes := range []string{"uid:2000", "uid:2001"} {
			if _, err := b.answer(q, a, yes, true); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := b.answer(q, a, who, false); err != nil || !got.Denied || got.Approver != who {
			t.Errorf("%s: %+v, %v", who, got, err)
		}
		if got := take(t, q, "run2", question()); !got.Denied || got.Granted {
			t.Errorf("%+v", got)
		}
		if item := b.item(q, a.Ticket); item.Standing != Denied || item.Approved != 2 {
			t.Errorf("%+v", item)
		}
	}
}

// TestNeedIsAskedAgain has policy want more, and an approver lose the right,
// between the answers and the run.
func TestNeedIsAskedAgain(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{})
	a := take(t, q, "run1", question())
	if _, err := b.answer(q, a, "uid:2000", true); err != nil {
		t.Fatal(err)
	}
	if got := take(t, b.queue(Config{Need: needs(2)}), "run2", question()); got.Granted || got.Ticket == a.Ticket {
		t.Errorf("one yes was taken for two: %+v", got)
	}
	b = newBench(t)
	q = b.queue(Config{Need: needs(2)})
	a = take(t, q, "run1", question())
	for _, yes := range []string{"uid:2000", "uid:2001"} {
		if _, err := b.answer(q, a, yes, true); err != nil {
			t.Fatal(err)
		}
	}
	if got := take(t, b.queue(Config{Need: needs(2), Approvers: []string{"uid:2000", "uid:2002"}}), "run2", question()); got.Granted {
		t.Errorf("the yes of somebody who is no approver any more: %+v", got)
	}
}

// TestHalfAnsweredExpires lets the second human come too late.
func TestHalfAnsweredExpires(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{Need: needs(2), Expiry: time.Minute})
	a := take(t, q, "run1", question())
	b.advance(59 * time.Second)
	if _, err := b.answer(q, a, "uid:2000", true); err != nil {
		t.Fatal(err)
	}
	b.advance(time.Second)
	if _, err := b.answer(q, a, "uid:2001", true); !errors.Is(err, ErrExpired) {
		t.Errorf("%v", err)
	}
	if got := take(t, q, "run2", question()); got.Granted || got.Ticket == a.Ticket {
		t.Errorf("%+v", got)
	}
}

// consumerVariable makes this test's process one that consumes.
const consumerVariable = "PALISADE_TEST_CONSUMER"

// TestProcessesConsumeOnce has a hundred consumers in five processes want one
// approval, and exactly one get it.
func TestProcessesConsumeOnce(t *testing.T) {
	const processes, each = 5, 20
	if dir := os.Getenv(consumerVariable); dir != "" {
		consume(t, dir, each)
		return
	}
	b := newBench(t)
	q := b.queue(Config{})
	b.approve(q, take(t, q, "ask", question()))
	type said struct {
		out []byte
		err error
	}
	all := make(chan said, processes)
	for range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesConsumeOnce$", "-test.v")
		cmd.Env = append(os.Environ(), consumerVariable+"="+b.dir)
		go func() {
			out, err := cmd.CombinedOutput()
			all <- said{out, err}
		}()
	}
	granted, asked := 0, 0
	for range processes {
		one := <-all
		if one.err != nil {
			t.Errorf("%v: %s", one.err, one.out)
		}
		granted += strings.Count(string(one.out), "consumer: granted")
		asked += strings.Count(string(one.out), "consumer: asked")
	}
	if granted != 1 || asked != processes*each-1 {
		t.Errorf("%d of %d consumers got one approval, %d were asked", granted, processes*each, asked)
	}
}

// consume is one of the processes.
func consume(t *testing.T, dir string, each int) {
	b := newBench(t)
	b.dir = dir
	b.tickets.Store(int64(os.Getpid()) << 20) // another process's tickets are others
	q := b.queue(Config{})
	done := make(chan string, each)
	for i := range each {
		go func() {
			a, err := q.Take(context.Background(), fmt.Sprintf("run-%d-%d", os.Getpid(), i), question())
			switch {
			case err != nil:
				done <- "failed: " + err.Error()
			case a.Granted:
				done <- "granted"
			default:
				done <- "asked"
			}
		}()
	}
	for range each {
		fmt.Println("consumer:", <-done)
	}
}
