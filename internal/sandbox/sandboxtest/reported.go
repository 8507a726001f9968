package sandboxtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"palisade"
)

// hostCase is one way in which other products' boxes were reported to reach their
// host, played here.
type hostCase struct {
	technique string
	// needs are what the back-end must have, as in Options.Lacks.
	needs   []string
	program call
	status  []palisade.Status
	// check reports what is wrong with the result; empty: nothing.
	check func(s *suite, t *testing.T, r palisade.Result) string
}

// hostCases are those of the kind "host" in the corpus of reported cases, by their
// names there.
func hostCases() map[string]hostCase {
	return map[string]hostCase{
		"host-002": {technique: "intermediate symlink", program: py(`
import os
os.mkdir('out'); os.symlink('/proc/self', 'out/hop'); os.symlink('/etc', 'out/etc')
print(len(open('out/hop/environ').read()) > 0)
`), status: ok, check: noArtifacts},
		"host-003": {technique: "rename race", program: py(`
import os, sys
open('mine', 'w').write('mine'); os.symlink('/etc/passwd', 'theirs')
if os.fork() == 0:
    while True:
        try:
            os.rename('mine', 'a'); os.rename('a', 'mine'); os.rename('theirs', 'a'); os.rename('a', 'theirs')
        except OSError: pass
`), status: ok, check: func(_ *suite, _ *testing.T, r palisade.Result) string {
			for _, a := range r.Artifacts {
				if string(a.Data) != "mine" {
					return "artifact " + a.Name + " holds " + string(a.Data)
				}
			}
			return ""
		}},
		"host-005": {technique: "sparse file", needs: []string{"disk"}, program: py("import os\nos.mkdir('out')\nos.truncate(os.open('out/a', os.O_CREAT | os.O_RDWR), 1 << 40)\n"),
			status: []palisade.Status{palisade.DiskLimit}},
		"host-006": {technique: "hostile names", program: py("for name in 'a\\nX-Evil: 1.csv', '-rf', 'b\\x1b[2J', '..\\\\c':\n    open(name, 'w').write('x')\n"),
			status: ok, check: func(_ *suite, _ *testing.T, r palisade.Result) string {
				for _, a := range r.Artifacts {
					if strings.ContainsAny(a.Name, "\n\r\x1b\\") || strings.HasPrefix(a.Name, "-") {
						return "artifact of the name " + a.Name
					}
				}
				return ""
			}},
		"host-008": {technique: "grandchild holds pipe", needs: []string{"isolation"}, program: py("import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(1000)\n    os._exit(0)\nprint('on')\n"),
			status: ok, check: func(_ *suite, _ *testing.T, r palisade.Result) string {
				if r.Usage.Wall > 10*time.Second || stdout(r) != "on\n" {
					return "it took " + r.Usage.Wall.String()
				}
				return ""
			}},
		"host-009": {technique: "fork bomb", needs: []string{"processes"}, program: few(py("import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(1000)\n")), status: []palisade.Status{palisade.ProcessLimit}},
		"host-011": {technique: "kill self 137", program: py("import os\nos.kill(os.getpid(), 9)\n"), status: []palisade.Status{palisade.Killed},
			check: func(_ *suite, _ *testing.T, r palisade.Result) string {
				if slices.Contains(r.LimitsHit, "memory") || r.Signal != "SIGKILL" {
					return "signal " + r.Signal + ", limits " + strings.Join(r.LimitsHit, " ")
				}
				return ""
			}},
		"host-012": {technique: "output flood", program: py("while True: print('x' * 4096)\n"), status: []palisade.Status{palisade.OutputLimit},
			check: func(_ *suite, _ *testing.T, r palisade.Result) string {
				if kept := int64(len(r.Stdout.Head) + len(r.Stdout.Tail)); kept > suiteLimits.Kept || !r.Stdout.Truncated() {
					return "what was kept is not bounded"
				}
				return ""
			}},
		"host-014": {technique: "next-tenant residue", needs: []string{"isolation"}, program: py("import os, time\nopen('/tmp/x', 'w').write('residue')\nif os.fork() == 0:\n    os.setsid(); time.sleep(1000)\n"),
			status: ok, check: func(s *suite, t *testing.T, _ palisade.Result) string {
				next := s.do(t, py("import os\nprint(os.listdir('/tmp'), [p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (os.getpid(), os.getppid())])\n"))
				if stdout(next) != "[] []\n" {
					return "the next run sees " + stdout(next) + stderr(next)
				}
				return ""
			}},
		// What the environment of the host's process holds is looked for in every
		// run's output.
		"host-015": {technique: "control secret in environ", needs: []string{"isolation"}, program: py("import glob\nfor name in glob.glob('/proc/*/environ'):\n    try: print(name, open(name).read())\n    except OSError as e: print(name, e.errno)\n"), status: ok},
		"host-017": {technique: "ELF32 and x32 system calls", needs: []string{"isolation"}, program: py(oldCalls), status: []palisade.Status{palisade.OK, palisade.Killed, palisade.RuntimeError},
			check: func(_ *suite, _ *testing.T, r palisade.Result) string {
				if strings.Contains(stdout(r), "ESCAPED") || !strings.Contains(stdout(r), "tried") {
					return "it said " + stdout(r) + stderr(r)
				}
				return ""
			}},
		"host-018": {technique: "snapshot entropy", program: py("import os\nprint(os.urandom(16).hex())\n"), status: ok,
			check: func(s *suite, t *testing.T, r palisade.Result) string {
				if again := s.do(t, py("import os\nprint(os.urandom(16).hex())\n")); len(stdout(r)) != 33 || stdout(again) == stdout(r) {
					return "two boxes drew " + stdout(r)
				}
				return ""
			}},
	}
}

var ok = []palisade.Status{palisade.OK}

func py(src string) call { return call{sub: palisade.Submission{Program: source(src)}} }

// few bounds processes so that memory is not what they reach first: one that is
// forked in a restored box takes 9 MiB of it.
func few(c call) call {
	c.limits.Processes = 32
	return c
}

func noArtifacts(_ *suite, _ *testing.T, r palisade.Result) string {
	if len(r.Artifacts) > 0 {
		return "artifact " + r.Artifacts[0].Name
	}
	return ""
}

// oldCalls makes getpid by int 0x80 in a child, where the architecture has it, and by the number
// of x32.
const oldCalls = `
import ctypes, mmap, os, platform
libc = ctypes.CDLL(None, use_errno=True)
print('tried', flush=True)
if libc.syscall(0x40000000 + 39) > 0: print('ESCAPED by x32')
if platform.machine() == 'x86_64' and os.fork() == 0:
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex('b814000000cd80c3'))  # mov eax, 20; int 0x80; ret
    at = ctypes.addressof(ctypes.c_char.from_buffer(code))
    if ctypes.CFUNCTYPE(ctypes.c_int)(at)() > 0: print('ESCAPED by int 0x80', flush=True)
    os._exit(0)
try: os.wait()
except OSError: pass
`

// reported plays the reported cases.
func (s *suite) reported(t *testing.T) {
	for id, c := range hostCases() {
		t.Run(id+" "+c.technique, func(t *testing.T) {
			s.need(t, c.needs...)
			r := s.do(t, c.program)
			want(t, r, c.status...)
			if c.check == nil {
				return
			}
			if wrong := c.check(s, t, r); wrong != "" {
				t.Errorf("%.2000s\nstderr: %.500s", wrong, stderr(r))
			}
		})
	}
}
