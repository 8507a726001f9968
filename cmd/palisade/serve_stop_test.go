package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServeStopsAtOnce: a second signal ends a server that waits for what runs, and
// its boxes with it; the next start records what they ran as interrupted.
func TestServeStopsAtOnce(t *testing.T) {
	requireGate(t)
	home := filepath.Join(t.TempDir(), "home")
	s := serve(t, home, "--drain", "5m")
	key := s.key("--role", "submitter")
	_, header, got := s.ask(key, "POST", "/v1/executions", `{"code": "import time\ntime.sleep(20)"}`, "Prefer", "respond-async")
	where := header.Get("Location")
	if where == "" {
		t.Fatalf("%v", got)
	}
	until(t, "it started", func() bool {
		_, _, now := s.ask(key, "GET", where, "")
		return now["started"] == true
	})
	boxes := descendants(t, s.cmd.Process.Pid)
	if len(boxes) == 0 {
		t.Fatal("a program runs, and the server has no process")
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	until(t, "it takes nothing new", func() bool {
		status, _, got := s.ask(key, "POST", "/v1/executions", `{"code": "print(1)"}`)
		return status == 503 && got["code"] == "stopping"
	})
	if _, _, now := s.ask(key, "GET", where, ""); now["state"] == "done" {
		t.Fatalf("the first signal ended what ran: %v", now)
	}
	began := time.Now()
	// Not an interrupt: where tests of scripts ran before, this process ignores it, and
	// so do its children.
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := s.cmd.Wait()
	ended, ok := errors.AsType[*exec.ExitError](err)
	if took := time.Since(began); !ok || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM || took > 5*time.Second {
		t.Errorf("after the second signal: %v, after %s", err, took)
	}
	until(t, "its boxes ended", func() bool { return !slices.ContainsFunc(boxes, alive) })
	s = serve(t, home)
	if !strings.Contains(s.log.String(), "1 run of a server that stopped had no end") {
		t.Errorf("the next start: %s", s.log)
	}
	if _, _, got := s.ask(key, "GET", where, ""); got["state"] != "done" || got["status"] != "interrupted" || got["may_have_run"] != true {
		t.Errorf("%v", got)
	}
}

// until waits for something, at most a minute.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// descendants are the processes below one.
func descendants(t *testing.T, pid int) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	children := map[int][]int{}
	for _, entry := range entries {
		var child int
		if _, err := fmt.Sscan(entry.Name(), &child); err != nil {
			continue
		}
		_, parent := process(child)
		children[parent] = append(children[parent], child)
	}
	all := slices.Clone(children[pid])
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// process reads a process's state and parent; there is none: "", 0.
func process(pid int) (state string, parent int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	text := string(data)
	_, _ = fmt.Sscan(text[strings.LastIndex(text, ")")+1:], &state, &parent) // 0 where it does not read
	return state, parent
}

func alive(pid int) bool {
	state, _ := process(pid)
	return state != "" && state != "Z" && state != "X"
}
