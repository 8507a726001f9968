package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name    string
		started bool
		o       Observed
		want    palisade.Status
	}{
		{"nothing is known", false, Observed{}, palisade.SandboxError},
		{"never started, whatever it ended with", false, Observed{ExitCode: 0}, palisade.SandboxError},
		{"refused", false, Observed{Kill: KillRefused}, palisade.Refused},
		{"caller gone before go", false, Observed{Kill: KillCaller}, palisade.Interrupted},
		{"not ready", false, Observed{Kill: KillNotReady}, palisade.SandboxError},
		{"back-end failed", true, Observed{Failed: true}, palisade.SandboxError},
		{"back-end killed it for itself", true, Observed{Kill: KillBackstage}, palisade.SandboxError},
		{"unknown kill", true, Observed{Kill: "whim"}, palisade.SandboxError},
		{"ended well", true, Observed{}, palisade.OK},
		{"ended well though a limit refused", true, Observed{Limits: []string{"files", "disk"}}, palisade.OK},
		{"failed", true, Observed{ExitCode: 1}, palisade.RuntimeError},
		{"137 is an exit code", true, Observed{ExitCode: 137}, palisade.RuntimeError},
		{"signal", true, Observed{Signal: "SIGKILL"}, palisade.Killed},
		{"cpu", true, Observed{Kill: KillCPU, Signal: "SIGKILL"}, palisade.CPULimit},
		{"wall", true, Observed{Kill: KillWall}, palisade.WallLimit},
		{"memory", true, Observed{Kill: KillMemory}, palisade.MemoryLimit},
		{"output", true, Observed{Kill: KillOutput}, palisade.OutputLimit},
		{"caller", true, Observed{Kill: KillCaller}, palisade.Interrupted},
		{"event", true, Observed{Kill: KillEvent}, palisade.Aborted},
		{"protocol", true, Observed{Kill: KillProtocol}, palisade.Aborted},
		{"killed though it ended well", true, Observed{Kill: KillCPU, ExitCode: 0}, palisade.CPULimit},
		{"files refused", true, Observed{ExitCode: 1, Limits: []string{"files"}}, palisade.FilesLimit},
		{"processes refused", true, Observed{ExitCode: 1, Limits: []string{"processes"}}, palisade.ProcessLimit},
		{"disk refused", true, Observed{ExitCode: 1, Limits: []string{"files", "disk"}}, palisade.DiskLimit},
		{"inodes refused", true, Observed{ExitCode: 1, Limits: []string{"inodes"}}, palisade.DiskLimit},
		{"memory refused", true, Observed{ExitCode: 1, Limits: []string{"memory"}}, palisade.MemoryLimit},
		{"unknown limit", true, Observed{ExitCode: 1, Limits: []string{"patience"}}, palisade.RuntimeError},
	} {
		if got := Judge(c.started, c.o); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What a guest says never changes a status, and is dropped where it contradicts.
func TestResultIsTheHosts(t *testing.T) {
	said := Transcript{Started: true, Value: []byte("1"), Exception: &palisade.Exception{Type: "E"}}
	if r := said.Result(Observed{}, nil); r.Status != palisade.OK || r.Exception != nil || string(r.Value) != "1" || len(r.Anomalies) != 1 {
		t.Errorf("%+v", r)
	}
	if r := said.Result(Observed{ExitCode: 3}, nil); r.Status != palisade.RuntimeError || r.ExitCode != 3 || r.Value != nil || r.Exception == nil {
		t.Errorf("%+v", r)
	}
	if r := said.Result(Observed{Kill: KillMemory, Signal: "SIGKILL"}, nil); r.Status != palisade.MemoryLimit || r.ExitCode != -1 || fmt.Sprint(r.LimitsHit) != "[memory]" {
		t.Errorf("%+v", r)
	}
	said = Transcript{Kill: KillRefused, Reason: "no", Stderr: palisade.Captured{Head: []byte("noise"), Total: 5}}
	if r := said.Result(Observed{Signal: "SIGKILL"}, nil); r.Status != palisade.Refused || r.Reason != "no" || r.MayHaveRun || r.Stderr.Total != 0 {
		t.Errorf("%+v", r)
	}
}

func TestKeep(t *testing.T) {
	for _, limit := range []int64{1, 2, 7, 100} {
		for _, size := range []int{0, 1, 5, 99, 100, 101, 250, 1000} {
			for _, step := range []int{1, 3, 64, 1000} {
				data := make([]byte, size)
				for i := range data {
					data[i] = byte(i)
				}
				k := newKeep(limit)
				for part := data; len(part) > 0; {
					n := min(step, len(part))
					k.add(part[:n])
					part = part[n:]
				}
				got := k.captured()
				if got.Total != int64(size) || int64(len(got.Head)+len(got.Tail)) != min(limit, int64(size)) ||
					!bytes.HasPrefix(data, got.Head) || !bytes.HasSuffix(data, got.Tail) || got.Truncated() != (int64(size) > limit) {
					t.Fatalf("limit %d, size %d, step %d: %+v", limit, size, step, got)
				}
			}
		}
	}
}

type stuck chan struct{}

func (s stuck) Write(p []byte) (int, error) { <-s; return len(p), nil }

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("broken") }

// Whoever watches a run cannot hold it, break it, or make it grow.
func TestLive(t *testing.T) {
	release := make(stuck)
	defer close(release)
	l := newLive(release)
	for range 1000 {
		l.send(make([]byte, 64<<10))
	}
	l.mu.Lock()
	queued := len(l.buf)
	l.mu.Unlock()
	if queued > liveQueue {
		t.Errorf("%d bytes are queued", queued)
	}
	began := time.Now()
	l.finish()
	if time.Since(began) > 2*livePatience {
		t.Errorf("a stuck writer held the run for %v", time.Since(began))
	}
	gate := make(stuck)
	var seen bytes.Buffer
	l = newLive(io.MultiWriter(gate, &seen))
	for range 100 {
		l.send(make([]byte, 64<<10))
	}
	close(gate)
	l.finish()
	if !strings.Contains(seen.String(), "bytes came faster than they could be shown]") {
		t.Errorf("%d bytes of %d were shown, and nothing said of the rest", seen.Len(), 100*64<<10)
	}
	l = newLive(panicking{})
	l.send([]byte("x"))
	l.finish()
}

func TestWriteArtifacts(t *testing.T) {
	a := func(name, data string) palisade.Artifact {
		return palisade.Artifact{Name: name, Size: int64(len(data)), Data: []byte(data)}
	}
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	intact := func(t *testing.T) {
		t.Helper()
		if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
			t.Errorf("a file outside reads %q, %v", data, err)
		}
		if list, _ := os.ReadDir(outside); len(list) != 1 {
			t.Errorf("outside there are %v", list)
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "/etc/x", "a/../../x", "a//b", "-rf", "a\nb", "a\\b", "\u202etxt", "a\x00b", "\xff", "./a", "a/", strings.Repeat("d/", 40) + "x"} {
		if err := WriteArtifacts(t.TempDir(), []palisade.Artifact{a(name, "x")}, true); err == nil {
			t.Errorf("the name %q was written", name)
		}
	}
	t.Run("plain", func(t *testing.T) {
		dir := t.TempDir()
		if err := WriteArtifacts(dir, []palisade.Artifact{a("b.txt", "b"), a("d/e/a.txt", "a")}, false); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "d/e/a.txt"))
		if err != nil || info.Mode() != 0o600 || info.Size() != 1 {
			t.Errorf("%v, %v", info, err)
		}
		if err := WriteArtifacts(dir, []palisade.Artifact{a("b.txt", "new")}, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a file that exists: %v", err)
		}
		if err := WriteArtifacts(dir, []palisade.Artifact{a("b.txt", "new")}, true); err != nil {
			t.Error(err)
		}
	})
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := WriteArtifacts(dir, []palisade.Artifact{a("d", "x")}, true); err == nil {
			t.Error("a folder was replaced by a file")
		}
	})
	t.Run("links", func(t *testing.T) {
		dir := t.TempDir()
		for name, target := range map[string]string{"file": secret, "folder": outside, "dangling": filepath.Join(outside, "new"), "up": ".."} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		for _, overwrite := range []bool{false, true} {
			for _, name := range []string{"file", "folder/new", "folder/secret", "dangling", "up/x"} {
				err := WriteArtifacts(dir, []palisade.Artifact{a(name, "x")}, overwrite)
				if replaced := overwrite && !strings.Contains(name, "/"); (err == nil) != replaced {
					t.Errorf("overwrite %v, %s: %v", overwrite, name, err)
				}
				intact(t)
			}
		}
	})
	t.Run("race", func(t *testing.T) {
		dir := t.TempDir()
		var stop atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			folder := filepath.Join(dir, "f")
			for !stop.Load() {
				os.Mkdir(folder, 0o700)
				os.RemoveAll(folder)
				os.Symlink(outside, folder)
				os.Remove(folder)
			}
		}()
		for range 2000 {
			// It may fail, it may succeed: never outside.
			_ = WriteArtifacts(dir, []palisade.Artifact{a("f/secret", "stolen"), a("f/new", "x")}, true)
		}
		stop.Store(true)
		<-done
		intact(t)
	})
}
