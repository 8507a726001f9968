package gvisor

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"palisade/internal/sandbox"
)

// TestSentryIsConfined: nothing of what a sentry could do before it booted is left
// to any of its threads, nor to a stub.
func TestSentryIsConfined(t *testing.T) {
	s := newSandbox(t)
	job := code("pass")
	fill(&job)
	b, err := boxFor(t.Context(), s, job)
	if err != nil {
		t.Fatal(err)
	}
	defer b.forget()
	if err := sandbox.Warm(t.Context(), b.pipes, ""); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"NoNewPrivs": "1", "Seccomp": "2"}
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		want[set] = "0000000000000000"
	}
	threads := 0
	for _, pid := range sandbox.Tree(b.pid) {
		files, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task/*/status"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				continue // a thread that has ended
			}
			threads++
			for line := range strings.Lines(string(data)) {
				key, value, _ := strings.Cut(line, ":")
				if w, ok := want[key]; ok && strings.TrimSpace(value) != w {
					t.Errorf("%s: %s", file, line)
				}
			}
		}
	}
	if threads < 4 {
		t.Errorf("only %d threads were looked at", threads)
	}
	proc := filepath.Join("/proc", strconv.Itoa(b.pid))
	root := filepath.Join(proc, "root")
	if !holdsOnly(root, ownMaps) {
		t.Error("the sentry's root holds more than its own maps")
	}
	if maps, err := os.ReadFile(filepath.Join(root, ownMaps)); err != nil || !strings.Contains(string(maps), "[stack]") {
		t.Errorf("the sentry's maps: %q (%v)", maps, err)
	}
	if err := os.WriteFile(filepath.Join(proc, "root/x"), nil, 0o600); err == nil {
		t.Error("the sentry's root can be written to")
	}
	fds, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil || len(fds) == 0 {
		t.Fatalf("%v %v", fds, err)
	}
	for _, fd := range fds {
		name := filepath.Join(proc, "fd", fd.Name())
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			to, _ := os.Readlink(name)
			t.Errorf("the sentry holds the directory %s", to)
		}
	}
}

// TestBootOrders: a sentry boots for no order but one of a box.
func TestBootOrders(t *testing.T) {
	whole := []string{"boot", "--setup-root", "--spec-fd=900", "--controller-fd=901", "--start-sync-fd=902", "box1"}
	with := func(more ...string) []string { return append(append([]string{}, more...), whole...) }
	for name, args := range map[string][]string{
		"nothing":              {},
		"another command":      append([]string{"gofer"}, whole[1:]...),
		"a flag of no box":     append([]string{"boot", "--exec-fd=3"}, whole[1:]...),
		"no setting of gVisor": with("--no-such-flag"),
		"the host's root":      append([]string{"boot"}, whole[2:]...),
		"a gofer":              append([]string{"boot", "--dev-io-fd=3"}, whole[1:]...),
		"a gofer's mounts":     append([]string{"boot", "--mounts-fd=3"}, whole[1:]...),
		"no spec":              append([]string{"boot", "--setup-root"}, whole[3:]...),
	} {
		conf, order, err := parseBoot(args)
		if err == nil {
			_, err = order.spec(conf)
		}
		if err == nil || strings.Contains(err.Error(), "read the box's spec") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, order, err := parseBoot(whole); err != nil || order.id != "box1" || order.specFD != 900 {
		t.Errorf("%+v: %v", order, err)
	}
}

// TestHoldsOnly: a root that holds anything else is not empty.
func TestHoldsOnly(t *testing.T) {
	dir := t.TempDir()
	if holdsOnly(dir, "/a/b/c") {
		t.Error("an empty directory holds a file")
	}
	if err := os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o700); err != nil {
		t.Fatal(err)
	}
	if holdsOnly(dir, "/a/b/c") {
		t.Error("a directory is a file")
	}
	if err := os.WriteFile(filepath.Join(dir, "a/b/c/d"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !holdsOnly(dir, "/a/b/c/d") {
		t.Error("the one file is not seen")
	}
	if err := os.WriteFile(filepath.Join(dir, "a/usr"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if holdsOnly(dir, "/a/b/c/d") {
		t.Error("another file is not seen")
	}
}

// TestSentriesShareNothing: no sentry holds a socket or pipe of another, however many
// are started at once.
func TestSentriesShareNothing(t *testing.T) {
	s := newSandbox(t)
	const many = 12
	boxes := make([]*box, many)
	var group sync.WaitGroup
	for i := range boxes {
		group.Go(func() {
			job := code("pass")
			fill(&job)
			b, err := boxFor(t.Context(), s, job)
			if err != nil {
				t.Error(err)
				return
			}
			boxes[i] = b
		})
	}
	group.Wait()
	holders := map[string]int{}
	for i, b := range boxes {
		if b == nil {
			continue
		}
		defer b.forget()
		links, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(b.pid), "fd/*"))
		if err != nil || len(links) == 0 {
			t.Fatalf("%v %v", links, err)
		}
		for _, link := range links {
			to, _ := os.Readlink(link)
			if !strings.HasPrefix(to, "socket:") && !strings.HasPrefix(to, "pipe:") {
				continue
			}
			if other, held := holders[to]; held && other != i {
				t.Errorf("two sentries hold %s", to)
			}
			holders[to] = i
		}
	}
	if len(holders) < 4*many {
		t.Errorf("only %d descriptors were looked at", len(holders))
	}
}
