package sandboxtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/events"
)

// Lines writes acts in a form that tests compare.
func Lines(acts []palisade.Act) []string {
	var out []string
	for _, a := range acts {
		line := a.Kind
		if a.What != "" {
			line += " " + a.What
		}
		if a.Detail != "" {
			line += " | " + a.Detail
		}
		if a.Refused {
			line += " REFUSED"
		}
		if a.Count != 0 {
			line += fmt.Sprintf(" x%d", a.Count)
		}
		out = append(out, line)
	}
	return out
}

// WantActs holds a result to acts, which must all be there, and to what must not.
func WantActs(t testing.TB, r palisade.Result, want []string, never ...string) {
	t.Helper()
	got := Lines(r.Activity.Acts)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("no %q", line)
		}
	}
	for _, text := range never {
		if strings.Contains(strings.Join(got, "\n"), text) {
			t.Errorf("there is %q", text)
		}
	}
	if t.Failed() {
		t.Logf("%s %v, dropped %d:\n%s\n%s", r.Status, r.Activity.Counts, r.Activity.Dropped, strings.Join(got, "\n"), r.Stderr.Head)
	}
}

// EachKind is a program that does something of each kind of act, and prints the
// port that it listened on last. Its files are given.txt and other.txt.
const EachKind = `
import os, socket, subprocess, threading
open('made.txt', 'w').write('12345')
open('made.txt', 'a').write('67')
open('made.txt').read()
open('given.txt', 'r+').write('x')
open('other.txt').read()
for i in range(3): open('/etc/hosts').read()
os.mkdir('d'); os.symlink('/etc/shadow', 'd/l'); os.link('made.txt', 'd/h'); os.rename('made.txt', 'd/m')
os.unlink('d/l'); os.rmdir('/tmp/nothing') if os.path.exists('/tmp/nothing') else None
for f in '/etc/shadow', '/root/.ssh/id_rsa', 'd/l':
    try: open(f)
    except OSError: pass
try: os.unlink('/usr/bin/python3')
except OSError: pass
import json, decimal
pid = os.fork()
if pid == 0: os._exit(0)
os.waitpid(pid, 0)
subprocess.run(['/usr/bin/python3', '-c', 'print("a b")'], env={})
try: subprocess.run(['/bin/nothing'])
except OSError: pass
t = threading.Thread(target=print); t.start(); t.join()
for peer in ('10.1.2.3', 80), ('169.254.169.254', 80):
    try: socket.create_connection(peer, 1)
    except OSError: pass
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()
c = socket.create_connection(s.getsockname())
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try: u.sendto(b'x', ('192.0.2.7', 53))
except OSError: pass
u = socket.socket(socket.AF_UNIX)
try: u.connect('/run/x.sock')
except OSError: pass
u = socket.socket(socket.AF_UNIX); u.bind('/work/own.sock')
import ctypes
libc = ctypes.CDLL(None)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
addresses = [ctypes.create_string_buffer(socket.AF_INET.to_bytes(2, 'little') + (53).to_bytes(2, 'big') + bytes([198, 51, 100, i]) + bytes(8)) for i in (1, 2)]
one = ctypes.create_string_buffer(b'x')
vectors = (ctypes.c_uint64 * 2)(ctypes.addressof(one), 1)
messages = (ctypes.c_uint64 * 16)()
for i, a in enumerate(addresses):
    messages[i * 8: i * 8 + 4] = [ctypes.addressof(a), 16, ctypes.addressof(vectors), 1]
libc.sendmmsg(u.fileno(), messages, 2, 0)
try: os.unshare(0) if hasattr(os, 'unshare') else os.chroot('/tmp')
except OSError: pass
print(s.getsockname()[1])
`

// Abort is a job that policy ends on an act, and the act as [Lines] writes it. It
// never prints anything.
type Abort struct {
	Name string
	Job  palisade.Job
	Want string
}

// Aborts are jobs that policy ends on an act.
func Aborts() (all []Abort) {
	for _, c := range []struct {
		name   string
		lang   palisade.Language
		src    string
		abort  []string
		denied []string
		want   string
	}{
		{"exec", "", "import os\nos.execv('/usr/bin/python3', ['python3', '-c', 'print(1)'])", []string{"exec"}, nil, "exec /usr/bin/python3 | ended the run REFUSED"},
		{"exec that is denied", "", "import os\ntry: os.execv('/usr/bin/python3', ['python3'])\nexcept OSError: print(1)", []string{"exec"}, []string{"exec"}, "exec /usr/bin/python3 | denied by policy REFUSED"},
		{"exec in a child", "", "import subprocess, time\nsubprocess.Popen(['/usr/bin/python3']); time.sleep(9); print(1)", []string{"exec", "connect"}, nil, "exec /usr/bin/python3 | ended the run REFUSED"},
		{"fork", "", "import os\nos.fork(); print(1)", []string{"fork"}, nil, "fork | ended the run REFUSED"},
		{"connect", "", "import socket\ntry: socket.create_connection(('10.0.0.1', 80), 1)\nexcept OSError: print(1)", []string{"connect"}, nil, "connect 10.0.0.1:80 | ended the run REFUSED"},
		{"a denied call", "", "import os\ntry: os.chroot('/')\nexcept OSError: print(1)", []string{"syscall"}, nil, "syscall chroot REFUSED"},
		{"create", "", "open('x', 'w'); print(1)", []string{"create"}, nil, "create /work/x | ended the run REFUSED"},
		{"delete", "", "import os\nos.unlink('g'); print(1)", []string{"delete"}, nil, "delete /work/g | ended the run REFUSED"},
		{"exec in a shell", palisade.Shell, "echo a >/dev/null\nls\necho 1", []string{"exec"}, nil, "exec /usr/bin/ls | ended the run REFUSED"},
		{"connect in a shell", palisade.Shell, "exec 3<>/dev/tcp/10.0.0.1/80\necho 1", []string{"connect"}, nil, "connect 10.0.0.1:80 | ended the run REFUSED"},
	} {
		job := actor(c.lang, c.src)
		job.Abort, job.DeniedSyscalls = c.abort, c.denied
		all = append(all, Abort{c.name, job, c.want})
	}
	return all
}

// Calm are jobs that do nothing on which policy could end a run.
func Calm() []palisade.Job {
	all := []palisade.Job{
		actor("", "import json, os\nprint(os.path.expanduser('~'), len(os.listdir('/etc')))"), actor(palisade.Shell, "echo 1"),
		actor(palisade.JavaScript, "console.log(require('fs').readFileSync('g').length)"),
	}
	for i := range all {
		all[i].Abort = events.Abortable()
	}
	return all
}

// actor is a job with a file g beside its program.
func actor(l palisade.Language, src string) palisade.Job {
	return palisade.Job{
		Program: palisade.Program{Language: l, Name: "p", Source: []byte(src + "\n")},
		Files:   []palisade.File{{Name: "g", Data: []byte("g")}},
	}
}

// RunAborts plays [Aborts] and [Calm] by a back-end's own way of running a job.
func RunAborts(t *testing.T, languages []palisade.Language, run func(testing.TB, palisade.Job) palisade.Result) {
	for _, c := range Aborts() {
		t.Run(c.Name, func(t *testing.T) {
			r := run(t, c.Job)
			if r.Status != palisade.Aborted || r.Stdout.Total != 0 || r.Usage.Wall > 5*time.Second {
				t.Errorf("%s (%s) in %v, said %q", r.Status, r.Reason, r.Usage.Wall, r.Stdout.Head)
			}
			WantActs(t, r, []string{c.Want})
		})
	}
	for _, job := range Calm() {
		if job.Program.Language == palisade.JavaScript && !slices.Contains(languages, palisade.JavaScript) {
			continue
		}
		if r := run(t, job); r.Status != palisade.OK {
			t.Errorf("%s ended: %s (%s) %v", job.Program.Source, r.Status, r.Reason, Lines(r.Activity.Acts))
		}
	}
	if r := run(t, palisade.Job{Program: palisade.Program{Name: "p", Source: []byte("1\n")}, Abort: []string{"everything"}}); r.Status != palisade.Refused {
		t.Errorf("an unknown kind: %s", r.Status)
	}
}

// DeniedCalls is a program that makes calls of the groups exec, fork, socket, mount
// and ptrace, then those of more, and starts threads; it says how each ended.
func DeniedCalls(more string) string { return denied + more + threads }

const denied = `
import os, threading, socket, ctypes
def refused(name, act):
    try:
        act()
        print('ESCAPED', name)
    except OSError as e:
        print(name, e.errno)
refused('fork', os.fork)
refused('exec', lambda: os.execv('/usr/bin/python3', ['python3']))
refused('spawn', lambda: os.posix_spawn('/usr/bin/python3', ['python3'], {}))
refused('socket', socket.socket)
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    if libc.syscall(number, *args) < 0:
        raise OSError(ctypes.get_errno(), 'syscall')
refused('clone3', lambda: call(435, 0, 0))
refused('clone', lambda: call(56, 17, 0, 0, 0, 0))
`

const threads = `
done = []
threads = [threading.Thread(target=done.append, args=(i,)) for i in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print('threads', len(done))
`
