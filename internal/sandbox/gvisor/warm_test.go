package gvisor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/sandbox"
)

// fresh prints, as JSON, what no two boxes may have in common.
const fresh = `
import json, os, random, secrets, ssl, tempfile, time, uuid, multiprocessing.process as mp
import numpy as np, pandas as pd
print(json.dumps({
    "os.urandom": os.urandom(12).hex(),
    "getrandom": os.getrandom(12).hex(),
    "/dev/urandom": open("/dev/urandom", "rb").read(12).hex(),
    "random": random.random(),
    "random bits": random.getrandbits(90),
    "SystemRandom": random.SystemRandom().random(),
    "new Random": random.Random().random(),
    "numpy": float(np.random.rand()),
    "numpy state": int(np.random.get_state()[1][5]),
    "numpy generator": float(np.random.default_rng().random()),
    "pandas sample": pd.Series(range(10**5)).sample(5).tolist(),
    "uuid1": uuid.uuid1().hex,
    "uuid4": uuid.uuid4().hex,
    "node": uuid.getnode(),
    "secrets": secrets.token_hex(12),
    "ssl": ssl.RAND_bytes(12).hex(),
    "tempfile": next(tempfile._get_candidate_names()),
    "authkey": bytes(mp.current_process().authkey).hex(),
    "wall clock": time.time_ns(),
}))
`

// said runs a program and returns what it printed as JSON.
func said(t *testing.T, s *Sandbox, job palisade.Job) map[string]any {
	t.Helper()
	r := runJob(t, s, job)
	var values map[string]any
	if err := json.Unmarshal(r.Stdout.Head, &values); err != nil || r.Status != palisade.OK {
		t.Fatalf("%s %s: %v\n%s\n%s", r.Status, r.Reason, err, r.Stdout.Head, r.Stderr.Head)
	}
	if want := "restored"; s.pool != nil && r.Ready.Layers["start"] != want {
		t.Fatalf("the box was %q, want %q", r.Ready.Layers["start"], want)
	}
	return values
}

// needData skips a test where there is no numpy.
func needData(t *testing.T, s *Sandbox) {
	t.Helper()
	for _, name := range []string{"numpy", "pandas", "matplotlib"} {
		if !slices.Contains(s.Python().Modules, name) {
			t.Skipf("no %s here", name)
		}
	}
}

// TestWarmBoxesAreFresh: boxes of one template have nothing random in common, and
// their clock is right however long they were parked.
func TestWarmBoxesAreFresh(t *testing.T) {
	s := newSandbox(t, warm)
	needData(t, s)
	seen := map[string]string{}
	for i := range 6 {
		if i == 3 {
			time.Sleep(1500 * time.Millisecond) // the next box was parked for as long
		}
		for name, value := range said(t, s, code(fresh)) {
			text, _ := json.Marshal(value)
			key := name + " " + string(text)
			if other, twice := seen[key]; twice {
				t.Errorf("%s is %s in box %d, and in box %s", name, text, i, other)
			}
			seen[key] = strconv.Itoa(i)
		}
	}
	job := code("import time, json\na, b = time.time(), time.monotonic()\ntime.sleep(0.2)\nprint(json.dumps({'at': a, 'took': time.time() - a, 'monotonic': time.monotonic() - b}))")
	v := said(t, s, job)
	if off := time.Since(time.UnixMicro(int64(v["at"].(float64) * 1e6))); off < 0 || off > 5*time.Second {
		t.Errorf("the box's clock is %v behind", off)
	}
	for _, name := range []string{"took", "monotonic"} {
		if d := v[name].(float64); d < 0.19 || d > 3 {
			t.Errorf("0.2 s took %v by %s", d, name)
		}
	}
}

// TestWarmText: programs that run as text are restored too, and are no two alike.
func TestWarmText(t *testing.T) {
	s := newSandbox(t, warm)
	for language, src := range map[palisade.Language]string{
		palisade.Shell:      `echo "{\"random\": \"$SRANDOM $RANDOM $RANDOM $RANDOM\", \"urandom\": \"$(head -c 9 /dev/urandom | base64)\", \"at\": \"$EPOCHREALTIME\"}"`,
		palisade.JavaScript: `console.log(JSON.stringify({random: Math.random(), uuid: crypto.randomUUID(), at: performance.timeOrigin}))`,
	} {
		if !slices.Contains(languages(), language) {
			t.Logf("no %s here", language)
			continue
		}
		job := palisade.Job{Program: palisade.Program{Language: language, Source: []byte(src)}}
		first, second := said(t, s, job), said(t, s, job)
		for name, value := range first {
			if value == second[name] {
				t.Errorf("%s: %s is %v in both", language, name, value)
			}
		}
	}
}

// TestWhatStartsCold: a deterministic job has no kind of warm box, and each other
// job the kind of its language, tenant and way out.
func TestWhatStartsCold(t *testing.T) {
	s := newSandbox(t, warm)
	kinds := map[kind]string{}
	for name, job := range map[string]palisade.Job{
		"python": {}, "another tenant's": {Tenant: "b"}, "with peers": {Egress: []palisade.Peer{{Name: "example.com:443"}}},
		"shell": {Program: palisade.Program{Language: palisade.Shell}},
	} {
		fill(&job)
		r, err := s.rootOf(t.Context(), job)
		if err != nil {
			t.Log(err)
			continue
		}
		k, ok := s.kindOf(r, job)
		if other, twice := kinds[k]; !ok || twice {
			t.Errorf("%s: %v, and %q", name, ok, other)
		}
		kinds[k] = name
		job.Deterministic = true
		if _, ok := s.kindOf(r, job); ok {
			t.Errorf("%s: a deterministic job has a warm box", name)
		}
	}
}

// TestTemplatesDiffer: what belongs to a template is another one in the next.
func TestTemplatesDiffer(t *testing.T) {
	s := newSandbox(t, warm, func(c *Config) { c.Pool.Uses = 1 })
	const src = "import json\nprint(json.dumps({'seed': hash('a'), 'place': id(object())}))"
	first := said(t, s, code(src))
	for range 30 {
		if v := said(t, s, code(src)); v["seed"] != first["seed"] && v["place"] != first["place"] {
			return
		}
	}
	t.Errorf("hash('a') is %v in each of 30 boxes", first["seed"])
}

// TestTenantsShareNoTemplate: boxes of two tenants are of different templates.
func TestTenantsShareNoTemplate(t *testing.T) {
	s := newSandbox(t, warm)
	const src = "import json\nprint(json.dumps({'seed': hash('a')}))"
	a, b := code(src), code(src)
	a.Tenant, b.Tenant = "a", "b"
	if one, two := said(t, s, a), said(t, s, b); one["seed"] == two["seed"] {
		t.Errorf("both have the hash seed of %v", one["seed"])
	}
	if one, again := said(t, s, a), said(t, s, a); one["seed"] != again["seed"] {
		t.Error("one tenant has two templates")
	}
}

// world prints all of a program's surroundings that importing in advance could
// change.
const world = `
import json, sys, os
seen = {}
import warnings
seen["filters"] = [(f[0], str(getattr(f[1], "pattern", f[1])), f[2].__name__) for f in warnings.filters]
seen["argv"], seen["path"], seen["meta"] = sys.argv, sys.path, [str(getattr(m, "__name__", type(m))) for m in sys.meta_path if type(m).__name__ != "Stash"]
seen["modules"] = sorted(m for m in sys.modules if m.partition(".")[0] not in sys.stdlib_module_names)
seen["hooks"] = [str(sys.excepthook), str(sys.displayhook), len(sys.path_hooks)]
seen["main"] = sorted(vars(sys.modules["__main__"]))
seen["name"], seen["file"] = __name__, __file__
seen["environ"] = dict(os.environ)
seen["cwd"], seen["files"], seen["tmp"] = os.getcwd(), os.listdir("."), os.listdir("/tmp")
seen["ids"] = [os.getpid(), os.getuid(), os.getgid(), os.getpgid(0), os.getsid(0)]
seen["fds"] = sorted(int(f) for f in os.listdir("/proc/self/fd"))
seen["streams"] = [str(s) for s in (sys.stdin, sys.stdout, sys.stderr)]
seen["recursion"], seen["digits"], seen["interval"] = sys.getrecursionlimit(), sys.get_int_max_str_digits(), sys.getswitchinterval()
import threading, signal, locale, decimal, gc, resource
seen["threads"] = [t.name for t in threading.enumerate()]
seen["signals"] = {n: str(signal.getsignal(n)) for n in (2, 13, 15)}
seen["locale"] = locale.setlocale(locale.LC_ALL)
seen["decimal"] = str(decimal.getcontext())
seen["gc"] = [gc.isenabled(), gc.get_threshold(), gc.get_debug()]
seen["limits"] = {n: resource.getrlimit(getattr(resource, n)) for n in dir(resource) if n.startswith("RLIMIT_")}
seen["excs"] = [str(sys.exc_info()), hasattr(sys, "last_value")]
seen["host"] = os.uname().nodename
`

// worlds are what programs with imports see of them.
var worlds = map[string]string{
	"numpy": `
import numpy as np
seen["numpy"] = [str(np.geterr()), np.get_printoptions()["precision"], repr(np.array([1.5, 2])), np.__spec__.origin, type(np.__loader__).__name__]
`, "pandas": `
import pandas as pd
seen["pandas"] = [pd.get_option("display.max_rows"), pd.get_option("mode.chained_assignment")]
`, "matplotlib": `
import matplotlib, matplotlib.pyplot as plt
seen["matplotlib"] = [matplotlib.get_backend(), plt.get_fignums(), sorted((k, str(v)) for k, v in matplotlib.rcParams.items())]
`, "": `
seen["filters then"] = [(f[0], str(getattr(f[1], "pattern", f[1])), f[2].__name__) for f in warnings.filters]
seen["meta then"] = [str(getattr(m, "__name__", type(m).__name__)) for m in sys.meta_path if type(m).__name__ != "Stash"]
seen["modules then"] = sorted(m for m in sys.modules if m.partition(".")[0] not in sys.stdlib_module_names)
print(json.dumps(seen))
`,
}

// TestWarmIsAsCold: a program sees the same in a restored box as in one that was
// made for it.
func TestWarmIsAsCold(t *testing.T) {
	cold, restored := newSandbox(t), newSandbox(t, warm)
	needData(t, cold)
	for _, wanted := range []string{"", "numpy", "pandas", "numpy pandas matplotlib"} {
		src := world
		for name := range strings.FieldsSeq(wanted) {
			src += worlds[name]
		}
		src += worlds[""]
		a, b := said(t, cold, code(src)), said(t, restored, code(src))
		for name := range a {
			x, _ := json.Marshal(a[name])
			y, _ := json.Marshal(b[name])
			if string(x) != string(y) {
				if name == "modules then" && subset(a[name], b[name]) {
					continue // what the program's modules load later is there as well
				}
				t.Errorf("%s: %s: cold %s\nwarm %s", wanted, name, x, y)
			}
		}
	}
}

// subset reports whether everything in a is in b.
func subset(a, b any) bool {
	small, ok := a.([]any)
	large, ok2 := b.([]any)
	return ok && ok2 && !slices.ContainsFunc(small, func(x any) bool { return !slices.Contains(large, x) })
}

// TestParkedBoxesRest: a parked box takes no processor, and of memory its own
// pages and its part of what all share.
func TestParkedBoxesRest(t *testing.T) {
	s := newSandbox(t, warm, func(c *Config) { c.Pool.Size = 4 })
	needData(t, s)
	job := code("import pandas")
	fill(&job)
	r, err := s.rootOf(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	k, ok := s.kindOf(r, job)
	if !ok || k.set != "data" {
		t.Fatalf("kind %+v", k)
	}
	b, err := s.pool.Take(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for start := time.Now(); s.pool.Stats().Parked < 4; time.Sleep(50 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("%+v", s.pool.Stats())
		}
	}
	pids := sandbox.Tree(b.pid)
	before := sandbox.Measure(pids).CPU
	time.Sleep(time.Second)
	if used := sandbox.Measure(pids).CPU - before; used > 0 {
		t.Errorf("a parked box used %v in a second", used)
	}
	var share int64
	for i, pid := range pids {
		// Stubs of one guest process have one address space between them.
		if !slices.ContainsFunc(pids[:i], func(other int) bool { return oneMemory(t, pid, other) }) {
			share += shareOf(t, pid)
		}
	}
	t.Logf("%d processes, %d MiB", len(pids), share>>20)
	if share > 80<<20 {
		t.Errorf("a parked box with pandas holds %d MiB", share>>20)
	}
}

// oneMemory reports whether two processes have the same address space: kcmp(2).
func oneMemory(t *testing.T, a, b int) bool {
	t.Helper()
	const vm = 1 // KCMP_VM: include/uapi/linux/kcmp.h
	same, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), vm, 0, 0, 0)
	if errno != 0 {
		t.Skipf("kcmp: %v", errno)
	}
	return same == 0
}

// shareOf is a process's proportional set size, in bytes.
func shareOf(t *testing.T, pid int) int64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "smaps_rollup"))
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "Pss:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("no Pss")
	return 0
}
