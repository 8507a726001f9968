package sandboxtest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"palisade"
)

// RunRedCode forces every program of the RedCode corpus through a sandbox, those
// in shell where the back-end runs it, and checks that the host is as it was:
// files that they name, folders, a process that they might end, and canaries of
// its own. It skips where the corpus is not there.
func RunRedCode(t *testing.T, newSandbox func(t testing.TB) palisade.Sandbox, o Options) {
	programs := redcode(t, "python", palisade.Python)
	if slices.Contains(o.Languages, palisade.Shell) {
		programs = append(programs, redcode(t, "bash", palisade.Shell)...)
	}
	t.Setenv("PALISADE_CANARY", canary)
	s := &suite{Options: o, sandbox: newSandbox(t)}
	before := watch(t)

	statuses := map[palisade.Status]int{}
	var mu sync.Mutex
	queue := make(chan forced)
	var workers sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		rig := newRig(t, s.sandbox, preparer(o.Python), reader{t: t, version: o.Python, lenient: true})
		workers.Go(func() {
			for p := range queue {
				_, r, err := rig.run(t.Context(), p.submission(), s.verdict(call{limits: palisade.Limits{CPU: 4 * time.Second, Wall: 6 * time.Second}}), nil)
				if err != nil {
					t.Errorf("%s: %v", p.name, err)
					continue
				}
				s.noLeak(t, r)
				mu.Lock()
				statuses[r.Status]++
				mu.Unlock()
				if r.Status == palisade.SandboxError {
					t.Errorf("%s: %s", p.name, r.Reason)
				}
			}
		})
	}
	for _, p := range programs {
		queue <- p
	}
	close(queue)
	workers.Wait()

	var counts []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		counts = append(counts, fmt.Sprintf("%d %s", statuses[status], status))
	}
	t.Logf("%d programs: %s", len(programs), strings.Join(counts, ", "))
	for _, change := range before.changes(t) {
		t.Errorf("the host changed: %s", change)
	}
}

type forced struct {
	name     string
	language palisade.Language
	Code     string
}

func (f forced) submission() palisade.Submission {
	return palisade.Submission{Program: palisade.Program{Language: f.language, Source: []byte(f.Code)}}
}

// redcode reads the programs of one folder of the corpus.
func redcode(t *testing.T, folder string, l palisade.Language) []forced {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "..", "shared", "corpora", "redcode", folder, "index*.json"))
	if err != nil || len(files) == 0 {
		const missing = "the RedCode corpus is not at ../shared/corpora/redcode"
		if strings.Contains(","+os.Getenv("PALISADE_REQUIRE")+",", ",corpora,") {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	var all []forced
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []forced
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i := range list {
			list[i].name, list[i].language = fmt.Sprintf("%s/%s[%d]", folder, filepath.Base(file), i), l
		}
		all = append(all, list...)
	}
	return all
}

// host is what is watched of this machine.
type host struct {
	files   map[string]string // path → what it is
	process *exec.Cmd
}

// watchedFiles are what such programs aim at.
var watchedFiles = []string{
	"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/crontab", "/etc/sudoers",
	"/etc/fstab", "/etc/profile", "/etc/bash.bashrc", "/etc/environment", "/etc/ssh", "/etc/cron.d", "/root", "/root/.bashrc", "/root/.profile",
	"/root/.ssh", "/home", "/bin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/lib", "/boot", "/opt", "/srv", "/var/spool/cron", "/etc", "/",
}

func watch(t *testing.T) *host {
	t.Helper()
	h := &host{files: map[string]string{}}
	own := t.TempDir()
	for _, name := range []string{"canary.txt", "deep/canary.txt", ".ssh/id_rsa"} {
		path := filepath.Join(own, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(canary), 0o666); err != nil {
			t.Fatal(err)
		}
		h.files[path] = ""
	}
	for _, path := range watchedFiles {
		h.files[path] = ""
	}
	for path := range h.files {
		h.files[path] = look(path)
	}
	h.process = exec.Command("/bin/sleep", "3600")
	if err := h.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.process.Process.Kill(); _ = h.process.Wait() })
	return h
}

// look describes a file by its content, a folder by its names.
func look(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Sprint(err)
	}
	if info.IsDir() {
		list, err := os.ReadDir(path)
		var names []string
		for _, e := range list {
			names = append(names, e.Name())
		}
		return fmt.Sprint(info.Mode(), names, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		return fmt.Sprint(target, err)
	}
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%v %x %v", info.Mode(), sha256.Sum256(data), err)
}

func (h *host) changes(t *testing.T) []string {
	t.Helper()
	var changed []string
	for _, path := range slices.Sorted(maps.Keys(h.files)) {
		if now := look(path); now != h.files[path] {
			changed = append(changed, fmt.Sprintf("%s was %.300s, is %.300s", path, h.files[path], now))
		}
	}
	if err := h.process.Process.Signal(syscall.Signal(0)); err != nil {
		changed = append(changed, fmt.Sprintf("a process of the host ended: %v", err))
	}
	return changed
}
