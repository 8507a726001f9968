package sandboxtest

import (
	"fmt"
	"strings"
	"testing"

	"palisade"
)

// deterministic: the same program gives the same bytes, and what waits for time
// or for another thread still comes to its end.
func (s *suite) deterministic(t *testing.T) {
	s.need(t, "determinism")
	for _, c := range []struct {
		name     string
		language palisade.Language
		program  string
		wants    []string // on the lines of the output, where it is known
	}{
		{"chance", palisade.Python, chanceProgram, nil},
		{"clocks", palisade.Python, clockProgram, []string{"2000-01-01", "999", "0.3", "False", "", "2000 2000 2000"}},
		{"threads", palisade.Python, threadProgram, []string{"joined", "late", "None", "[0, 1, 4]"}},
		{"device", palisade.Python, "print(open('/dev/urandom', 'rb').read(10000).hex())\n", nil},
		{"shell", palisade.Shell, shellProgram, []string{"", "2000-01-01", "1"}},
		{"javascript", palisade.JavaScript, nodeProgram, []string{"", "2000", "UTC"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.needLanguage(t, c.language)
			var said [3]string
			for i := range said {
				r := s.do(t, call{deterministic: true, sub: palisade.Submission{
					Program: palisade.Program{Language: c.language, Source: []byte(c.program)}}})
				want(t, r, palisade.OK)
				if r.Ready.Layers["determinism"] == "" {
					t.Errorf("layers %v: determinism is not reported", r.Ready.Layers)
				}
				said[i] = stdout(r) + "errors:" + stderr(r) + "files:" + artifacts(r)
			}
			if said[0] != said[1] || said[1] != said[2] {
				t.Errorf("three runs:\n%s\n%s\n%s", said[0], said[1], said[2])
			}
			lines := strings.Split(said[0], "\n")
			for i, prefix := range c.wants {
				if i >= len(lines) || !strings.HasPrefix(lines[i], prefix) {
					t.Errorf("line %d of %q: want %q", i+1, said[0], prefix)
				}
			}
		})
	}
	plain := s.do(t, call{sub: palisade.Submission{Program: source("import time", "print(time.gmtime().tm_year)")}})
	if plain.Ready.Layers["determinism"] != "" || strings.HasPrefix(stdout(plain), "2000") {
		t.Errorf("nobody asked for it: layers %v, year %s", plain.Ready.Layers, stdout(plain))
	}
}

func artifacts(r palisade.Result) (all string) {
	for _, a := range r.Artifacts {
		all += fmt.Sprintf(" %s %s", a.Name, a.Digest)
	}
	return all
}

const chanceProgram = `import os, random, secrets, tempfile, uuid
print(os.urandom(40).hex(), random.random(), secrets.token_hex(4), uuid.uuid4(), hash("text"))
print({"a", "b", "c", "d"}, object(), os.getpid(), tempfile.mkstemp()[1])
open("kept", "wb").write(os.urandom(5000))
`

const clockProgram = `import datetime, os, threading, time
print(datetime.datetime.now(), time.time_ns(), time.monotonic(), time.process_time(), time.thread_time())
n, until = 0, time.time() + 0.1
while time.time() < until:
    n += 1
print(n)
began = time.monotonic()
time.sleep(0.3)
print(time.monotonic() - began)
print(threading.Event().wait(0.2))
print(*(round(x, 1) for x in (os.times().elapsed - began, time.clock_gettime(time.CLOCK_BOOTTIME) - began)))
open("file", "w").close()
print(*(time.gmtime(os.stat(f).st_mtime).tm_year for f in ("file", "/work", "/tmp")))
`

// threadProgram waits for a thread longer than the thread takes, for one shorter
// than it takes, and on a queue.
const threadProgram = `import queue, threading, time
from concurrent.futures import ThreadPoolExecutor
worker = threading.Thread(target=time.sleep, args=(0.3,))
worker.start()
worker.join(timeout=60)
print("late" if worker.is_alive() else "joined")
worker = threading.Thread(target=time.sleep, args=(1,))
worker.start()
worker.join(timeout=0.1)
print("late" if worker.is_alive() else "joined")
try:
    print(queue.Queue().get(timeout=0.1))
except queue.Empty:
    print("None")
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(lambda n: n * n, range(3))))
`

const shellProgram = `echo $RANDOM $SRANDOM $(mktemp -u) $$ $(shuf -i 1-20 | tr '\n' ' ')
date +%FT%T.%N
a=$(date +%s); sleep 1; b=$(date +%s); echo $((b - a))
head -c 20 /dev/urandom | od -An -tx1
ls -l --time-style=full-iso /work
`

const nodeProgram = `const crypto = require('crypto');
console.log(Math.random(), crypto.randomUUID(), crypto.randomBytes(6).toString('hex'));
console.log(new Date().getFullYear());
console.log(Intl.DateTimeFormat().resolvedOptions().timeZone);
setTimeout(() => console.log('late'), 50);
`
