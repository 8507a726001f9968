package gvisor

import (
	"maps"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/sandbox/sandboxtest"
)

// TestEachKind: in boxes that were made for the program, and in restored ones.
func TestEachKind(t *testing.T) {
	t.Run("cold", func(t *testing.T) { eachKindIn(t, newSandbox(t)) })
	t.Run("restored", func(t *testing.T) {
		s := newSandbox(t, warm)
		for range 2 { // nothing of one run is told of another
			eachKindIn(t, s)
		}
	})
}

func eachKindIn(t *testing.T, s *Sandbox) {
	job := code(sandboxtest.EachKind)
	job.Files = []palisade.File{{Name: "given.txt", Data: []byte("abc")}, {Name: "other.txt", Data: []byte("abc")}}
	r := runJob(t, s, job)
	if r.Status != palisade.OK {
		t.Fatalf("%s: %s", r.Status, r.Stderr.Head)
	}
	port := strings.Fields(string(r.Stdout.Head))
	sandboxtest.WantActs(t, r, []string{
		"create /work/made.txt", "write /work/made.txt", "write /work/given.txt", "open /work/other.txt", "open /etc/hosts x3",
		"create /work/d | folder", "create /work/d/l | link to /etc/shadow", "create /work/d/h | link to /work/made.txt",
		"rename /work/made.txt | to /work/d/m", "delete /work/d/l", "delete /usr/bin/python3 | EROFS REFUSED",
		"open /etc/shadow | ENOENT REFUSED", "open /root/.ssh/id_rsa | ENOENT REFUSED", "open /work/d/l | ENOENT REFUSED",
		"exec /usr/bin/python3 | /usr/bin/python3 -c \"print(\\\"a b\\\")\"", "fork x3",
		"connect 10.1.2.3:80 | ENETUNREACH REFUSED", "connect 169.254.169.254:80 | ENETUNREACH REFUSED",
		"connect 127.0.0.1:" + port[len(port)-1], "listen 127.0.0.1:" + port[len(port)-1],
		"connect 192.0.2.7:53 | ENETUNREACH REFUSED", "connect unix:/run/x.sock | ENOENT REFUSED",
		"create /work/own.sock | socket", "connect 198.51.100.1:53 | ENETUNREACH REFUSED", "connect 198.51.100.2:53 | sendmmsg",
		"syscall chroot REFUSED", "exec /bin/nothing | ENOENT /bin/nothing REFUSED",
	}, "open /work/made.txt", "open /work/d/m", "open /work/given.txt", "/usr/lib/python3", "open /work\n", "/lib/", "ld.so", "/nothing-there")
	if r.Usage.Processes != 4 || r.Usage.DiskWritten < 8 || r.Usage.DiskWritten > 100 {
		t.Errorf("usage %+v", r.Usage)
	}
	if r.Activity.Dropped != 0 || r.Activity.Counts["library"] == 0 || r.Activity.Counts["exec"] != 2 {
		t.Errorf("%v, dropped %d", r.Activity.Counts, r.Activity.Dropped)
	}
	for _, a := range r.Activity.Acts {
		if a.Millis < 0 || time.Duration(a.Millis)*time.Millisecond > r.Usage.Wall+time.Second {
			t.Errorf("%+v of a run of %v", a, r.Usage.Wall)
		}
	}
}

// TestActsInShell: the interpreter's own start is no act.
func TestActsInShell(t *testing.T) {
	s := newSandbox(t)
	job := palisade.Job{Program: palisade.Program{Language: palisade.Shell, Name: "p.sh", Source: []byte("echo hi > a; cat a | wc -c; rm a\n")}}
	r := runJob(t, s, job)
	sandboxtest.WantActs(t, r, []string{"create /work/a", "delete /work/a", "exec /usr/bin/cat | cat a", "exec /usr/bin/wc | wc -c", "exec /usr/bin/rm | rm a", "fork x3"}, "bash", "palisade")
	if r.Activity.Counts["exec"] != 3 || r.Usage.Processes != 4 {
		t.Errorf("%v, %+v", r.Activity.Counts, r.Usage)
	}
}

// TestManyActs: what a program does a million times, and a thousand things that
// it does, stay bounded, and none is lost silently.
func TestManyActs(t *testing.T) {
	s := newSandbox(t)
	job := code(`
import os
for i in range(20_000): os.close(os.open('/dev/null', os.O_RDONLY))
for i in range(3_000):
    name = '/work/%04d' % i
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT)); os.unlink(name)
hostile = [b'/work/\x1b[31mred\n', b'/work/' + b'\xff' * 200, b'/work/' + b'n' * 200 + b'/' + b'n' * 3900, b'', b'/work/\xe2\x80\xae']
for name in hostile:
    try: os.open(name, os.O_RDONLY)
    except OSError: pass
try: os.execv(b'/bin/\xff\x1b', [b'a' * 9000] * 40)
except OSError: pass
`)
	r := runJob(t, s, job)
	if r.Status != palisade.OK {
		t.Fatalf("%s: %s", r.Status, r.Stderr.Head)
	}
	counts := r.Activity.Counts
	if counts["open"] < 20_005 || counts["create"] != 3_000 || counts["delete"] != 3_000 || counts["exec"] != 1 {
		t.Errorf("counts %v", counts)
	}
	listed := map[string]int64{}
	for _, a := range r.Activity.Acts {
		listed[a.Kind] += max(a.Count, 1)
	}
	var all, shown int64
	for _, n := range maps.All(counts) {
		all += n
	}
	for _, n := range maps.All(listed) {
		shown += n
	}
	const ownRead = 1 // the harness looks at /work at the end, which is counted alone
	if r.Activity.Dropped == 0 || all != shown+r.Activity.Dropped+ownRead {
		t.Errorf("%d acts, %d listed, %d dropped", all, shown, r.Activity.Dropped)
	}
	sandboxtest.WantActs(t, r, []string{"open /dev/null x20000", "open /work/\x1b[31mred\n | ENOENT REFUSED", "open /work/" + strings.Repeat(`\xff`, 200) + " | ENOENT REFUSED",
		"open /work/" + strings.Repeat("n", 200) + "/" + strings.Repeat("n", 817) + "… | ENAMETOOLONG REFUSED"})
	t.Logf("%d acts, %d listed in %d, %d dropped, %v", all, shown, len(r.Activity.Acts), r.Activity.Dropped, r.Usage)
}

func TestAbort(t *testing.T) {
	t.Run("cold", func(t *testing.T) { abortIn(t, newSandbox(t)) })
	t.Run("restored", func(t *testing.T) { abortIn(t, newSandbox(t, warm)) })
}

func abortIn(t *testing.T, s *Sandbox) {
	sandboxtest.RunAborts(t, languages(), func(t testing.TB, job palisade.Job) palisade.Result { return runJob(t, s, job) })
}
