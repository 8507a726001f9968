package sandboxtest

import (
	"strings"
	"testing"

	"palisade"
)

// leaving leaves everything that a later run might find.
const leaving = `
import ctypes
import os
import socket
import time

libc = ctypes.CDLL(None, use_errno=True)
left = []


def attempt(what, act):
    try:
        act()
        left.append(what)
    except Exception as e:
        print("could not leave", what, e)


def write(path):
    with open(path, "w") as f:
        f.write("residue")


for path in ("/tmp/residue", "/work/residue", "/dev/shm/residue", "/run/lock/residue", "/var/tmp/residue", "/dev/mqueue/residue", "/work/.hidden"):
    attempt(path, lambda: write(path))


def shared_memory():
    shm = libc.shmget(0x5A5A, 4096, 0o1666)
    if shm < 0:
        raise OSError(ctypes.get_errno())


def message_queue():
    if libc.msgget(0x5A5A, 0o1666) < 0:
        raise OSError(ctypes.get_errno())


def semaphore():
    if libc.semget(0x5A5A, 1, 0o1666) < 0:
        raise OSError(ctypes.get_errno())


def stay():
    if os.fork() == 0:
        os.setsid()
        s = socket.socket(socket.AF_UNIX)
        s.bind("\0residue")
        s.listen()
        t = socket.socket()
        t.bind(("127.0.0.1", 15454))
        t.listen()
        time.sleep(1000)
        os._exit(0)


attempt("shared memory", shared_memory)
attempt("message queue", message_queue)
attempt("semaphore", semaphore)
attempt("process", stay)
time.sleep(0.3)
print("left", len(left), left)
`

// looking looks for it. The port is none that the kernel gives away: one that is can
// be given to the very socket that asks for it, which is then connected with itself.
const looking = `
import ctypes
import glob
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)
for path in ("/tmp/residue", "/work/residue", "/dev/shm/residue", "/run/lock/residue", "/var/tmp/residue", "/dev/mqueue/residue", "/work/.hidden"):
    if os.path.exists(path):
        print("ESCAPED", path)
for folder in ("/work", "/tmp", "/dev/shm"):
    if os.path.isdir(folder) and os.listdir(folder):
        print("ESCAPED", folder, os.listdir(folder))
for what, got in (("shared memory", libc.shmget(0x5A5A, 4096, 0)), ("message queue", libc.msgget(0x5A5A, 0)), ("semaphore", libc.semget(0x5A5A, 1, 0))):
    if got >= 0:
        print("ESCAPED", what)
for address, family in (("\0residue", socket.AF_UNIX), (("127.0.0.1", 15454), socket.AF_INET)):
    try:
        socket.socket(family).connect(address)
        print("ESCAPED", address)
    except OSError:
        pass
own = [p for p in glob.glob("/proc/[0-9]*") if os.path.exists(p)]
if len(own) > 1:
    print("ESCAPED", own)
print("looked")
`

// meeting: two runs never learn of each other, one after the other or at once.
func (s *suite) meeting(t *testing.T) {
	s.need(t, "isolation")
	leave := s.do(t, call{sub: palisade.Submission{Program: source(leaving)}})
	want(t, leave, palisade.OK)
	if !strings.Contains(stdout(leave), "left") || strings.Contains(stdout(leave), "left 0") {
		t.Fatalf("nothing was left to look for: %s%s", stdout(leave), stderr(leave))
	}
	t.Log(stdout(leave))
	look := s.do(t, call{sub: palisade.Submission{Program: source(looking)}})
	want(t, look, palisade.OK)
	if stdout(look) != "looked\n" {
		t.Errorf("a later run found: %s%s", stdout(look), stderr(look))
	}

	other := newRig(t, s.sandbox, preparer(s.Python), reader{t: t, version: s.Python})
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Only the first goroutine may fail the test at once; this one's result is not looked at.
		_, _, _ = other.run(t.Context(), submission(leaving+"\ntime.sleep(3)\n"), s.verdict(call{}), nil)
	}()
	look = s.do(t, call{sub: palisade.Submission{Program: source("import time", "time.sleep(1.5)", looking)}})
	want(t, look, palisade.OK)
	if stdout(look) != "looked\n" {
		t.Errorf("a run beside it found: %s%s", stdout(look), stderr(look))
	}
	<-done
}

func submission(src string) palisade.Submission {
	return palisade.Submission{Program: palisade.Program{Language: palisade.Python, Name: "program.py", Source: []byte(src)}}
}
