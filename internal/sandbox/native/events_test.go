package native

import (
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/sandboxtest"
)

func warm(c *Config) { c.Pool = &sandbox.PoolLimits{Size: 1, After: 1} }

// TestEachKind: in boxes that were made for the program, and in warm ones.
func TestEachKind(t *testing.T) {
	t.Run("cold", func(t *testing.T) { eachKindIn(t, newSandbox(t)) })
	t.Run("warm", func(t *testing.T) {
		s := newSandbox(t, warm)
		for range 2 { // nothing of one run is told of another
			eachKindIn(t, s)
		}
	})
	t.Run("no control group", func(t *testing.T) {
		eachKindIn(t, newSandbox(t, func(c *Config) { c.NoCgroups = true }))
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
		"rename /work/made.txt | to /work/d/m", "delete /work/d/l", "delete /usr/bin/python3 | read-only REFUSED",
		"open /etc/shadow | ENOENT REFUSED", "open /root/.ssh/id_rsa | ENOENT REFUSED", "open /work/d/l | ENOENT REFUSED",
		"exec /usr/bin/python3 | /usr/bin/python3 -c \"print(\\\"a b\\\")\"", "fork x3",
		"connect 10.1.2.3:80 | ENETUNREACH REFUSED", "connect 169.254.169.254:80 | ENETUNREACH REFUSED",
		"connect 127.0.0.1:" + port[len(port)-1], "listen 127.0.0.1:" + port[len(port)-1],
		"connect 192.0.2.7:53 | ENETUNREACH REFUSED", "connect unix:/run/x.sock | ENOENT REFUSED",
		"create /work/own.sock | socket", "connect 198.51.100.1:53 | ENETUNREACH REFUSED", "connect 198.51.100.2:53 | ENETUNREACH REFUSED",
		"syscall chroot REFUSED", "exec /bin/nothing | ENOENT /bin/nothing REFUSED",
	}, "open /work/made.txt", "open /work/d/m", "open /work/given.txt", "/usr/lib/python3", "open /work\n", "/lib/", "ld.so", "/nothing-there")
	if r.Usage.Processes != 4 || r.Ready.Layers["events"] != "kernel" {
		t.Errorf("usage %+v, events %q", r.Usage, r.Ready.Layers["events"])
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
	sandboxtest.WantActs(t, r, []string{"create /work/a", "delete /work/a", "exec /usr/bin/cat | cat a", "exec /usr/bin/wc | wc -c", "exec /usr/bin/rm | rm a", "fork x3"}, "bash", "palisade", "1001")
	if r.Activity.Counts["exec"] != 3 || r.Usage.Processes != 4 {
		t.Errorf("%v, %+v", r.Activity.Counts, r.Usage)
	}
}

func TestAbort(t *testing.T) {
	t.Run("cold", func(t *testing.T) { abortIn(t, newSandbox(t)) })
	t.Run("warm", func(t *testing.T) { abortIn(t, newSandbox(t, warm)) })
}

func abortIn(t *testing.T, s *Sandbox) {
	sandboxtest.RunAborts(t, languages(), func(t testing.TB, job palisade.Job) palisade.Result { return runJob(t, s, job) })
}

// TestAbortGoesByTheSocket: what kind of peer an address in memory names says
// nothing of a socket that is made for a network.
func TestAbortGoesByTheSocket(t *testing.T) {
	s := newSandbox(t, warm)
	const connects = `
import ctypes, socket, sys
libc = ctypes.CDLL(None)
path = (1).to_bytes(2, 'little') + b'/work/s\0'
s = socket.socket(*kind)
libc.connect(s.fileno(), path, len(path))
print('on')
`
	for kind, want := range map[string]palisade.Status{"(socket.AF_UNIX,)": palisade.OK, "(socket.AF_INET,)": palisade.Aborted, "(socket.AF_INET6, socket.SOCK_DGRAM)": palisade.Aborted} {
		job := code("import socket\nkind = " + kind + connects)
		job.Abort = []string{"connect"}
		if r := runJob(t, s, job); r.Status != want || (want == palisade.Aborted) != (r.Stdout.Total == 0) {
			t.Errorf("%s: %s, said %q, %v", kind, r.Status, r.Stdout.Head, sandboxtest.Lines(r.Activity.Acts))
		}
	}
}

// TestManyActs: what a program does ten thousand times stays bounded, and none is
// lost silently.
func TestManyActs(t *testing.T) {
	s := newSandbox(t)
	job := code(`
import os
for i in range(5_000): os.close(os.open('/dev/null', os.O_RDONLY))
for i in range(2_000):
    name = '/work/%04d' % i
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT)); os.unlink(name)
hostile = [b'/work/\x1b[31mred\n', b'/work/' + b'\xff' * 200, b'/work/' + b'n' * 200 + b'/' + b'n' * 3900, b'', b'/work/\xe2\x80\xae', b'../../../../etc/shadow']
for name in hostile:
    try: os.open(name, os.O_RDONLY)
    except OSError: pass
try: os.execv(b'/bin/\xff\x1b', [b'a' * 9000] * 40)
except OSError: pass
import ctypes
libc = ctypes.CDLL(None)
for bad in 0, 1, 0x7fffffffffff, -4096: # memory that is not there
    libc.syscall(257, -100, ctypes.c_void_p(bad), 0, 0)
    libc.syscall(59, ctypes.c_void_p(bad), ctypes.c_void_p(bad), ctypes.c_void_p(bad))
    libc.syscall(42, 0, ctypes.c_void_p(bad), 16)
    libc.syscall(307, 0, ctypes.c_void_p(bad), 2_000_000_000, 0)
`)
	r := runJob(t, s, job)
	if r.Status != palisade.OK {
		t.Fatalf("%s: %s", r.Status, r.Stderr.Head)
	}
	counts := r.Activity.Counts
	if counts["open"] < 5_005 || counts["create"] != 2_000 || counts["delete"] != 2_000 || counts["exec"] != 5 {
		t.Errorf("counts %v", counts)
	}
	sandboxtest.WantActs(t, r, []string{
		"open /dev/null x5000", "open /work/\x1b[31mred\n | ENOENT REFUSED", "open /work/" + strings.Repeat(`\xff`, 200) + " | ENOENT REFUSED",
		"open /work/" + strings.Repeat("n", 200) + "/" + strings.Repeat("n", 817) + "… | ENAMETOOLONG REFUSED",
		"open /etc/shadow | ENOENT REFUSED", "open (unreadable) x4", "open (none) | ENOENT REFUSED",
	})
}

// TestDenied: denied calls fail with an errno by whatever number they are made, are
// told by name, and threads work all the same.
func TestDenied(t *testing.T) {
	s := newSandbox(t)
	job := code(sandboxtest.DeniedCalls(`
refused('namespace', lambda: call(56, 0x10000000 | 0x10f00, 0, 0, 0, 0))
refused('unshare', lambda: call(272, 0x10000000))
refused('ptrace', lambda: call(101, 0, 0, 0, 0))
refused('recvfrom', lambda: call(45, 0, 0, 0, 0, 0, 0))
refused('sendto', lambda: call(44, 0, 0, 0, 0, 0, 0))
refused('handed over', lambda: call(46, 0, 0, 0x1600))
refused('openat2', lambda: call(437, -100, 0, 0, 0))
refused('x32', lambda: call(0x40000000 + 39))
`))
	job.DeniedSyscalls = []string{"exec", "fork", "socket", "mount", "ptrace"}
	r := runJob(t, s, job)
	got := string(r.Stdout.Head)
	want := "fork 1\nexec 1\nspawn 1\nsocket 1\nclone3 38\nclone 1\nnamespace 1\nunshare 1\nptrace 1\nrecvfrom 1\nsendto 1\nhanded over 1\nopenat2 38\nx32 38\nthreads 8\n"
	if r.Status != palisade.OK || got != want {
		t.Errorf("%s: got %q, want %q\n%s", r.Status, got, want, r.Stderr.Head)
	}
	sandboxtest.WantActs(t, r, []string{"syscall socket REFUSED", "syscall unshare REFUSED", "syscall ptrace REFUSED", "exec /usr/bin/python3 | denied by policy REFUSED", "fork | denied by policy REFUSED x3"})
}
