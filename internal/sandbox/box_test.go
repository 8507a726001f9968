package sandbox

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
)

// guest is a hand-made box: the test plays its part.
type guest struct {
	in, out, stdout, stderr *os.File // the guest's ends
	pipes                   Pipes
	killed                  atomic.Value
}

func newGuest(t *testing.T) *guest {
	t.Helper()
	g := &guest{}
	pair := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close(); w.Close() })
		return r, w
	}
	var in, out, stdout, stderr *os.File
	g.in, in = pair()
	out, g.out = pair()
	stdout, g.stdout = pair()
	stderr, g.stderr = pair()
	g.pipes = Pipes{In: in, Out: out, Stdout: stdout, Stderr: stderr}
	return g
}

// die is what a box's end looks like from the host.
func (g *guest) die() {
	for _, f := range []*os.File{g.in, g.out, g.stdout, g.stderr} {
		f.Close()
	}
}

// hear reads what the host sends until it seals.
func (g *guest) hear() map[byte][][]byte {
	got := map[byte][][]byte{}
	for {
		kind, payload, err := readAny(g.in)
		if err != nil {
			return got
		}
		got[kind] = append(got[kind], payload)
		if kind == frameSeal {
			return got
		}
	}
}

// readAny reads a frame of the host.
func readAny(r io.Reader) (byte, []byte, error) {
	var head [frameHeader]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	payload := make([]byte, int(head[0])<<24|int(head[1])<<16|int(head[2])<<8|int(head[3]))
	_, err := io.ReadFull(r, payload)
	return head[4], payload, err
}

func testJob() palisade.Job {
	return palisade.Job{
		Program: palisade.Program{Language: palisade.Python, Name: "/home/somebody/secret/program.py", Source: []byte("1\n")},
		Limits:  palisade.Limits{Output: 1000, Kept: 100, Disk: 1 << 20, OpenFiles: 20, Processes: 10, Inodes: 10, Wall: time.Second, CPU: time.Second, Memory: 1 << 20},
		Stdout:  io.Discard, Stderr: io.Discard,
		Confirm: func(context.Context, palisade.Ready) error { return nil },
	}
}

func (g *guest) hooks() Hooks {
	return Hooks{
		Backend: "test",
		Layers: func(context.Context) (map[string]string, error) {
			return map[string]string{"kernel": "none", "uid": "65534"}, nil
		},
		Go: func() error { return nil },
		Kill: func(why Kill) {
			g.killed.CompareAndSwap(nil, why)
			g.die()
		},
	}
}

var readyFrame = joinFields("tree", "", strings.Repeat("ab", 32), "layer", "uid", "65534", "layer", "python", "3.11.2")

// converse plays a guest: ready, then whatever talk does after go.
func converse(t *testing.T, job palisade.Job, ready []byte, talk func(g *guest)) (*guest, Transcript, error) {
	t.Helper()
	g := newGuest(t)
	go func() {
		defer g.die()
		g.hear()
		if ready != nil {
			writeFrame(g.out, frameReady, ready)
		}
		if kind, _, err := readAny(g.in); err == nil && kind == frameGo && talk != nil {
			talk(g)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tr, err := Converse(ctx, job, g.pipes, g.hooks())
	return g, tr, err
}

func TestConverseSendsTheJob(t *testing.T) {
	g := newGuest(t)
	heard := make(chan map[byte][][]byte, 1)
	go func() {
		heard <- g.hear()
		g.die()
	}()
	job := testJob()
	job.Program.Entry = "f"
	job.Program.Modules = []palisade.Module{{Name: "a.b", Source: []byte("2\n")}}
	job.Inputs.Args = map[string]json.RawMessage{"x": json.RawMessage("1")}
	job.Files = []palisade.File{{Name: "big", Data: bytes.Repeat([]byte("z"), 3*chunk/2)}}
	job.Stdin = []byte("in")
	_, err := Converse(t.Context(), job, g.pipes, g.hooks())
	if err == nil || !strings.Contains(err.Error(), "ended before it was ready") {
		t.Errorf("err %v", err)
	}
	got := <-heard
	program, _ := splitFields(got[frameProgram][0])
	if string(program[0]) != "program.py" || string(program[1]) != "1\n" {
		t.Errorf("program %q: the host's folders are nobody's business inside", program)
	}
	module, _ := splitFields(got[frameModule][0])
	if string(module[0]) != "a.b" || string(module[1]) != "a/b.py" {
		t.Errorf("module %q", module)
	}
	if len(got[frameMore]) != 1 || len(got[frameMore][0]) != chunk/2 || string(got[frameStdin][0]) != "in" || string(got[frameEntry][0]) != "f" {
		t.Errorf("files, stdin or entry: %d", len(got[frameMore]))
	}
}

func TestConverseRefuses(t *testing.T) {
	refusing := testJob()
	refusing.Confirm = func(context.Context, palisade.Ready) error { return errors.New("not the judged tree") }
	for _, c := range []struct {
		name   string
		job    palisade.Job
		ready  []byte
		status palisade.Status
		reason string
	}{
		{"the gate says no", refusing, readyFrame, palisade.Refused, "not the judged tree"},
		{"layers differ", testJob(), joinFields("layer", "uid", "0"), palisade.Refused, `the host sees "65534", the box reports "0"`},
		{"interpreter says no", testJob(), joinFields("error", "SyntaxError", "invalid syntax"), palisade.Refused, "SyntaxError: invalid syntax"},
		{"bad digest", testJob(), joinFields("tree", "", "abcd"), palisade.SandboxError, "digest"},
		{"long digest", testJob(), joinFields("tree", "", strings.Repeat("ab", 33)), palisade.SandboxError, "digest"},
		{"tree twice", testJob(), slices.Concat(readyFrame, joinFields("tree", "", strings.Repeat("ab", 32))), palisade.SandboxError, "twice"},
		{"unknown kind", testJob(), joinFields("status", "ok", ""), palisade.SandboxError, "kind"},
		{"no fields", testJob(), []byte{0, 0, 1}, palisade.SandboxError, "cut short"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ran := false
			_, tr, err := converse(t, c.job, c.ready, func(*guest) { ran = true })
			r := tr.Result(Observed{ExitCode: -1, Signal: "SIGKILL"}, nil)
			reason := r.Reason
			if err != nil {
				reason = err.Error()
			}
			if r.Status != c.status || r.MayHaveRun || ran || tr.Started || !strings.Contains(reason, c.reason) {
				t.Errorf("status %q, may have run %v, went %v, reason %q", r.Status, r.MayHaveRun, ran, reason)
			}
			if (err == nil) != (c.status == palisade.Refused) {
				t.Errorf("err %v", err)
			}
		})
	}
}

func TestConverseStartsOnlyWhenReady(t *testing.T) {
	for name, say := range map[string]func(g *guest){
		"nothing":         func(*guest) {},
		"an early value":  func(g *guest) { writeFrame(g.out, frameValue, []byte("1")) },
		"an early go":     func(g *guest) { writeFrame(g.out, frameGo, nil) },
		"half a header":   func(g *guest) { g.out.Write([]byte{0, 0}) },
		"a huge ready":    func(g *guest) { g.out.Write([]byte{0xff, 0, 0, 0, frameReady}) },
		"a short ready":   func(g *guest) { g.out.Write([]byte{0, 0, 0, 9, frameReady, 1}) },
		"words on stderr": func(g *guest) { g.stderr.WriteString("error while loading shared libraries\n") },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuest(t)
			go func() { g.hear(); say(g); g.die() }()
			tr, err := Converse(t.Context(), testJob(), g.pipes, g.hooks())
			if err == nil || tr.Started || tr.Kill != KillNotReady {
				t.Errorf("started %v, kill %q, err %v", tr.Started, tr.Kill, err)
			}
			if name == "words on stderr" && !strings.Contains(err.Error(), "shared libraries") {
				t.Errorf("err %v does not say why", err)
			}
		})
	}
}

func TestConverseStartTimeout(t *testing.T) {
	g := newGuest(t)
	go g.hear()
	hooks := g.hooks()
	hooks.StartTimeout = 50 * time.Millisecond
	tr, err := Converse(t.Context(), testJob(), g.pipes, hooks)
	if err == nil || tr.Started || tr.Kill != KillNotReady || !strings.Contains(tr.Reason, "not ready after") {
		t.Errorf("kill %q, reason %q, err %v", tr.Kill, tr.Reason, err)
	}
}

// A box that nobody can kill and that holds its pipes does not hold the host.
func TestConverseCallerGoesAway(t *testing.T) {
	g := newGuest(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		g.hear()
		writeFrame(g.out, frameReady, readyFrame)
		readAny(g.in)
		cancel()
	}()
	hooks := g.hooks()
	hooks.Kill = func(Kill) {}
	began := time.Now()
	tr, err := Converse(ctx, testJob(), g.pipes, hooks)
	if err != nil || tr.Kill != KillCaller || time.Since(began) > 10*time.Second {
		t.Errorf("kill %q, err %v, took %v", tr.Kill, err, time.Since(began))
	}
	if r := tr.Result(Observed{}, nil); r.Status != palisade.Interrupted || !r.MayHaveRun {
		t.Errorf("status %q", r.Status)
	}
}

func TestConverseHearsTheProgram(t *testing.T) {
	job := testJob()
	job.Program.Entry = "f"
	_, tr, err := converse(t, job, readyFrame, func(g *guest) {
		g.stdout.WriteString("out")
		g.stderr.WriteString("err")
		writeFrame(g.out, frameValue, []byte(`{"a":1}`))
		writeFrame(g.out, frameBundle, joinFields("text/plain", "x", "image/png", "\x89PNG\r\n\x1a\nrest"))
		writeFrame(g.out, frameArtifact, joinFields("d/a.txt", "3"))
		writeFrame(g.out, frameData, []byte("ab"))
		writeFrame(g.out, frameData, []byte("c"))
		writeFrame(g.out, frameEnd, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	r := tr.Result(Observed{}, nil)
	if r.Status != palisade.OK || string(r.Value) != `{"a":1}` || string(r.Stdout.Head) != "out" || string(r.Stderr.Head) != "err" || len(r.Anomalies) > 0 {
		t.Errorf("%+v", r)
	}
	if len(r.Rich) != 1 || r.Rich[0].Data["text/plain"] != "x" || r.Rich[0].Data["image/png"] != "iVBORw0KGgpyZXN0" {
		t.Errorf("rich %v", r.Rich)
	}
	if len(r.Artifacts) != 1 || r.Artifacts[0].Name != "d/a.txt" || string(r.Artifacts[0].Data) != "abc" ||
		hex.EncodeToString(r.Artifacts[0].Digest[:4]) != "ba7816bf" {
		t.Errorf("artifacts %v", r.Artifacts)
	}
	if r.Ready.Layers["python"] != "3.11.2" || r.Ready.Layers["kernel"] != "none" || r.Ready.Backend != "test" {
		t.Errorf("ready %+v", r.Ready)
	}
	if r.Usage.BytesWritten != 6 {
		t.Errorf("usage %+v", r.Usage)
	}
}

func TestConverseOutputLimit(t *testing.T) {
	g, tr, err := converse(t, testJob(), readyFrame, func(g *guest) {
		for range 100 {
			g.stdout.WriteString(strings.Repeat("x", 50))
			g.stderr.WriteString(strings.Repeat("y", 50))
		}
	})
	if err != nil || g.killed.Load() != KillOutput {
		t.Fatalf("killed for %v, err %v", g.killed.Load(), err)
	}
	r := tr.Result(Observed{Signal: "SIGKILL"}, nil)
	if r.Status != palisade.OutputLimit || !slices.Equal(r.LimitsHit, []string{"output"}) {
		t.Errorf("status %q, limits %v", r.Status, r.LimitsHit)
	}
	if got := len(r.Stdout.Head) + len(r.Stdout.Tail); got != 100 {
		t.Errorf("kept %d", got)
	}
}

func TestConverseSecondReady(t *testing.T) {
	g, tr, err := converse(t, testJob(), readyFrame, func(g *guest) {
		writeFrame(g.out, frameReady, joinFields("tree", "", strings.Repeat("cd", 32), "layer", "moat", "deep"))
	})
	if err != nil || g.killed.Load() != KillProtocol {
		t.Fatalf("killed for %v, err %v", g.killed.Load(), err)
	}
	r := tr.Result(Observed{ExitCode: 0}, nil)
	if r.Status != palisade.Aborted || !slices.Contains(r.Anomalies, "ready after go") || r.Ready.Layers["moat"] != "" || r.Ready.Trees[""][0] != 0xab {
		t.Errorf("%+v", r)
	}
}

func FuzzHear(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, frameValue, '1'})
	f.Add(slices.Concat([]byte{0, 0, 0, 12, frameArtifact}, joinFields("a", "1"), []byte{0, 0, 0, 1, frameData, 'x', 0, 0, 0, 0, frameEnd}))
	f.Add(slices.Concat([]byte{0, 0, 0, 10, frameException}, joinFields("a", "1")))
	f.Fuzz(func(t *testing.T, data []byte) {
		job := testJob()
		job.Program.Entry = "f"
		c := &conversation{job: job, pipes: Pipes{Out: bytes.NewReader(data)}, hooks: Hooks{Kill: func(Kill) {}}}
		c.files = collector{max: 1 << 20, note: c.note}
		c.hear()
		c.files.abandon()
		if c.t.Value != nil && !json.Valid(c.t.Value) {
			t.Errorf("value %q", c.t.Value)
		}
		if len(c.t.Anomalies) > maxAnomalies+1 {
			t.Errorf("%d anomalies", len(c.t.Anomalies))
		}
		for _, a := range c.t.Anomalies {
			if strings.ContainsFunc(a, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("anomaly %q is not plain", a)
			}
		}
		for _, a := range c.files.all {
			if int64(len(a.Data)) != a.Size {
				t.Errorf("artifact %q: %d of %d bytes", a.Name, len(a.Data), a.Size)
			}
		}
	})
}
