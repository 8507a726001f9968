package store

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/audit"
)

// TestKilled kills processes in the middle of claims and runs, again and again.
// What they left can be opened, is what the log says, and nothing that was claimed
// and told is given away a second time.
func TestKilled(t *testing.T) {
	if home := os.Getenv("PALISADE_TEST_KILLED"); home != "" {
		claimOnAndOn(t, home, os.Getenv("PALISADE_TEST_DSN"))
		return
	}
	both(t, func(t *testing.T, b *bench) {
		told := map[string]string{} // by key: the run that has it
		for round := range 6 {
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
			cmd.Env = append(os.Environ(), "PALISADE_TEST_KILLED="+b.home, "PALISADE_TEST_DSN="+b.c.DSN, fmt.Sprintf("PALISADE_TEST_ROUND=%d", round))
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			kill := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
			n := 0
			for lines := bufio.NewScanner(out); lines.Scan(); {
				key, run, ok := strings.Cut(lines.Text(), " ")
				if !ok || !strings.HasPrefix(key, "key-") {
					continue
				}
				if first, again := told[key]; again && first != run {
					t.Errorf("%s was given to %s and to %s", key, first, run)
				}
				told[key] = run
				if n++; n == 7+round*3 {
					kill.Reset(time.Duration(round) * 700 * time.Microsecond)
				}
			}
			_ = cmd.Wait()
			if !kill.Stop() && n == 0 {
				t.Fatal("the child did nothing")
			}
		}
		if len(told) < 40 {
			t.Fatalf("only %d claims", len(told))
		}
		if err := b.s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.equal()
		for key, run := range told {
			if got := b.claim(b.s, asker, key, "later"); got.Mine || got.Run != run {
				t.Errorf("%s: %+v, want %s", key, got, run)
			}
		}
		b.equal()
	})
}

// claimOnAndOn is the child: it claims, tells, and runs, until it is killed.
func claimOnAndOn(t *testing.T, home, dsn string) {
	l, err := audit.Open(t.Context(), audit.Config{Dir: filepath.Join(home, "log"), KeyFile: filepath.Join(home, "keys", "log.key"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	// The parent's clock stands in the past: no claim is too old there.
	at := &clock{at: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)}
	s, err := Open(t.Context(), Config{File: filepath.Join(home, "index", "index.db"), DSN: dsn, Log: ledger{l}, Now: at.now})
	if err != nil {
		t.Fatal(err)
	}
	round := os.Getenv("PALISADE_TEST_ROUND")
	for i := range 10_000 {
		key, run := fmt.Sprintf("key-%s-%d", round, i), fmt.Sprintf("run-%s-%d", round, i)
		got, err := s.Claim(t.Context(), asker, key, request, run)
		if err != nil || !got.Mine {
			t.Fatalf("%+v, %v", got, err)
		}
		fmt.Fprintln(os.Stdout, key, run) // the parent reads it
		for _, e := range []palisade.Event{
			{Run: run, Kind: palisade.EventReceived, Time: at.now(), Data: submission("acme", "key:a")},
			{Run: run, Kind: palisade.EventStarted, Time: at.now(), Data: palisade.Ready{}},
		} {
			if err := l.Append(t.Context(), true, e); err != nil {
				t.Fatal(err)
			}
		}
	}
}
