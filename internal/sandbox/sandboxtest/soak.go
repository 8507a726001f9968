package sandboxtest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
)

// Closing is a back-end that can be closed.
type Closing interface {
	palisade.Sandbox
	Close() error
}

// soakClients is how many programs run at once.
const soakClients = 8

// soaked is one kind of program in the soak.
type soaked struct {
	name   string
	source string // {n} stands for the run's number
	limits palisade.Limits
	needs  string
	status []palisade.Status
	stdout string // {n} as above; empty: whatever it says
}

// soak is what runs: what models write mostly, and between it what is wrong, what
// breaks a limit, and what is hostile.
var soak = []soaked{
	{name: "a number", source: "print({n} * 2 // 2)", status: []palisade.Status{palisade.OK}, stdout: "{n}\n"},
	{name: "text", source: "import json\nprint(json.dumps({'run': {n}}))", status: []palisade.Status{palisade.OK}, stdout: "{\"run\": {n}}\n"},
	{name: "a file", source: "open('/work/out', 'w').write('{n}')\nprint(open('/work/out').read())", status: []palisade.Status{palisade.OK}, stdout: "{n}\n"},
	{name: "chance", source: "import os, random, uuid\nprint('drawn', os.urandom(8).hex(), random.random(), uuid.uuid4())", status: []palisade.Status{palisade.OK}},
	{name: "an exception", source: "print({n})\n1 / 0", status: []palisade.Status{palisade.RuntimeError}, stdout: "{n}\n"},
	{name: "an exit code", source: "import sys\nprint({n})\nsys.exit(3)", status: []palisade.Status{palisade.RuntimeError}, stdout: "{n}\n"},
	{name: "a crash", source: "import os\nos.kill(os.getpid(), 9)", status: []palisade.Status{palisade.Killed}},
	{name: "a loop", source: "while True: pass", needs: "cpu", limits: palisade.Limits{CPU: 200 * time.Millisecond, Wall: time.Minute}, status: []palisade.Status{palisade.CPULimit}},
	{name: "a long sleep", source: "import time\ntime.sleep(100)", limits: palisade.Limits{Wall: 300 * time.Millisecond}, status: []palisade.Status{palisade.WallLimit}},
	{name: "memory", source: "kept = []\nwhile True: kept.append(bytearray(1 << 20))", needs: "memory", limits: palisade.Limits{Memory: 128 << 20, Wall: time.Minute}, status: []palisade.Status{palisade.MemoryLimit}},
	{name: "output", source: "while True: print('x' * 4096)", limits: palisade.Limits{Output: 1 << 18, Wall: time.Minute}, status: []palisade.Status{palisade.OutputLimit}},
	{name: "a full disk", source: "with open('/work/big', 'wb') as f:\n    while True: f.write(b'x' * (1 << 16))", needs: "disk", limits: palisade.Limits{Disk: 4 << 20}, status: []palisade.Status{palisade.DiskLimit}},
	{name: "open files", source: "kept = []\nwhile True: kept.append(open('/dev/null'))", needs: "files", limits: palisade.Limits{OpenFiles: 32}, status: []palisade.Status{palisade.FilesLimit}},
	{name: "processes", source: "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(100)", needs: "processes", limits: palisade.Limits{Processes: 16}, status: []palisade.Status{palisade.ProcessLimit}},
	{name: "one that stays", source: "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(100)\nprint({n}, flush=True)\nos._exit(0)", needs: "isolation", status: []palisade.Status{palisade.OK}, stdout: "{n}\n"},
	{name: "one that leaves things", source: leaving, needs: "isolation", status: []palisade.Status{palisade.OK}},
	{name: "one that looks for them", source: looking, needs: "isolation", status: []palisade.Status{palisade.OK}, stdout: "looked\n"},
}

// SoakRuns is how many runs [Soak] makes here: PALISADE_SOAK says so, and a few by
// default.
func SoakRuns() int {
	if n, err := strconv.Atoi(os.Getenv("PALISADE_SOAK")); err == nil && n > 0 {
		return n
	}
	return 3 * len(soak)
}

// Soak sends runs programs, some at once, through a back-end that newSandbox opens
// with a state folder and a pool. Each must end as it should whatever runs beside
// it, know nothing of another, and leave nothing on the host when the back-end is
// closed.
func Soak(t *testing.T, newSandbox func(t testing.TB, state string) Closing, o Options, runs int) {
	t.Setenv("PALISADE_CANARY", canary)
	state := filepath.Join(t.TempDir(), "state")
	round := func(runs int) {
		b := newSandbox(t, state)
		soakRound(t, &suite{Options: o, sandbox: b}, runs)
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		Settle()
	}
	group := "-" + strconv.Itoa(os.Getpid()) + "-" // control groups are named for their maker
	round(len(soak))                               // what is made once is there
	before := Look(t, group, state)
	began := time.Now()
	round(runs)
	t.Logf("%d runs, %d at once, in %v", runs, soakClients, time.Since(began).Round(time.Millisecond))
	Look(t, group, state).Unchanged(t, before)
}

func soakRound(t *testing.T, s *suite, runs int) {
	var clients sync.WaitGroup
	var next atomic.Int64
	var drawn sync.Map
	for range soakClients {
		one := *s
		one.rig = newRig(t, s.sandbox, preparer(s.Python), reader{t: t, version: s.Python})
		clients.Go(func() {
			for n := next.Add(1); n <= int64(runs) && t.Context().Err() == nil; n = next.Add(1) {
				one.soak(t, soak[n%int64(len(soak))], strconv.FormatInt(n, 10), &drawn)
			}
		})
	}
	clients.Wait()
}

// soak makes one run and looks at its outcome.
func (s *suite) soak(t *testing.T, c soaked, n string, drawn *sync.Map) {
	if s.lacks(c.needs) {
		return
	}
	_, r, err := s.try(t, call{sub: submission(strings.ReplaceAll(c.source, "{n}", n)), limits: c.limits})
	if err != nil {
		t.Errorf("run %s, %s: gate: %v", n, c.name, err)
		return
	}
	said := stdout(r)
	if want := strings.ReplaceAll(c.stdout, "{n}", n); !slices.Contains(c.status, r.Status) || want != "" && said != want {
		t.Errorf("run %s, %s: status %q (exit %d, signal %q, limits %v, reason %q), want %q\nstdout: %.500q\nstderr: %.500s",
			n, c.name, r.Status, r.ExitCode, r.Signal, r.LimitsHit, r.Reason, c.status, said, stderr(r))
	}
	if strings.HasPrefix(said, "drawn ") {
		for _, value := range strings.Fields(said)[1:] {
			if other, twice := drawn.LoadOrStore(value, n); twice {
				t.Errorf("runs %v and %s drew the same %s", other, n, value)
			}
		}
	}
}
