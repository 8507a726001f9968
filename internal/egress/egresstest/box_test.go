package egresstest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
	"palisade/internal/egress"
	"palisade/internal/lang"
	"palisade/internal/python"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/gvisor"
	"palisade/internal/sandbox/native"
)

// images is where the boxes' roots of these tests are.
var images string

func TestMain(m *testing.M) {
	egress.Pretend(Lookup, Forbidden, Roots)
	if egress.Reexec() || gvisor.Reexec() || native.Reexec() {
		return
	}
	dir, err := os.MkdirTemp("", "palisade-egress-")
	if err != nil {
		panic(err)
	}
	images = dir
	if keep := os.Getenv("PALISADE_TEST_IMAGES"); keep != "" {
		images = keep // from one run of the tests to the next
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// rig is a gate that lets everything pass, around real boxes with a real proxy.
type rig struct {
	t       *testing.T
	proxy   *egress.Proxy
	backend string
	gate    *palisade.Gate
	verdict palisade.Verdict
	result  palisade.Result
	runs    atomic.Int64
}

// gvisorWarm is the name of gVisor's boxes that are restored, every one.
const gvisorWarm = "gvisor warm"

// makers make the boxes of each back-end.
var makers = map[string]func(t *testing.T, proxy *egress.Proxy) (sandbox.Backend, error){
	gvisor.Backend: func(t *testing.T, proxy *egress.Proxy) (sandbox.Backend, error) {
		return gvisor.New(t.Context(), gvisor.Config{StateDir: filepath.Join(t.TempDir(), "state"), Images: images, Egress: proxy, Commands: []string{"curl"}})
	},
	gvisorWarm: func(t *testing.T, proxy *egress.Proxy) (sandbox.Backend, error) {
		return gvisor.New(t.Context(), gvisor.Config{
			StateDir: filepath.Join(t.TempDir(), "state"), Images: images, Egress: proxy, Commands: []string{"curl"},
			Pool: &sandbox.PoolLimits{Size: 1, After: 1, Await: true, Patience: time.Minute},
		})
	},
	native.Backend: func(t *testing.T, proxy *egress.Proxy) (sandbox.Backend, error) {
		return native.New(t.Context(), native.Config{StateDir: filepath.Join(t.TempDir(), "state"), Images: images, Egress: proxy, Commands: []string{"curl"}})
	},
	"native warm": func(t *testing.T, proxy *egress.Proxy) (sandbox.Backend, error) {
		return native.New(t.Context(), native.Config{
			StateDir: filepath.Join(t.TempDir(), "state"), Images: images, Egress: proxy, Commands: []string{"curl"},
			Pool: &sandbox.PoolLimits{Size: 1, After: 1},
		})
	},
}

// onEach tells a story once on each back-end.
func onEach(t *testing.T, c egress.Config, story func(t *testing.T, r *rig)) {
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		t.Run(name, func(t *testing.T) { story(t, newRig(t, name, c)) })
	}
}

func newRig(t *testing.T, name string, c egress.Config) *rig {
	t.Helper()
	backend, _, _ := strings.Cut(name, " ")
	r := &rig{t: t, backend: backend, proxy: egress.New(c)}
	s, err := makers[name](t, r.proxy)
	if err == nil {
		_, err = s.Try(t.Context(), palisade.Python)
	}
	if err != nil {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), backend) {
			t.Fatal(err)
		}
		t.Skipf("%s does not run here: %v", backend, err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), r.proxy.Close()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	r.gate, err = palisade.NewGate(palisade.Parts{
		Preparer: lang.Preparer{}, Inspector: r, Policy: r, Approvals: r, Sandbox: s, Sanitizer: r, Recorder: r,
		Now: time.Now, NewID: func() string { return fmt.Sprintf("run-%d", r.runs.Add(1)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// try runs a program that may reach peers.
func (r *rig) try(language palisade.Language, source string, peers ...palisade.Peer) palisade.Result {
	r.t.Helper()
	return r.tryLayers(language, source, "proxy", peers...)
}

// tryLayers is try where policy wants a layer of network.
func (r *rig) tryLayers(language palisade.Language, source, network string, peers ...palisade.Peer) palisade.Result {
	r.t.Helper()
	r.verdict = palisade.Verdict{
		Decision: palisade.Allow, Egress: peers,
		Isolation: palisade.Isolation{Backends: []string{r.backend}, Layers: map[string]string{"network": network}},
		Limits: palisade.Limits{
			CPU: 20 * time.Second, Wall: 30 * time.Second, Memory: 512 << 20, Output: 16 << 20, Kept: 64 << 10,
			Processes: 32, OpenFiles: 64, Disk: 64 << 20, Inodes: 1000,
		},
	}
	r.result = palisade.Result{}
	name := map[palisade.Language]string{palisade.Python: "program.py", palisade.Shell: "program.sh", palisade.JavaScript: "program.js"}[language]
	s := palisade.Submission{Submitter: "test", Door: "test", Program: palisade.Program{Language: language, Name: name, Source: []byte(source)}}
	if _, err := r.gate.Run(r.t.Context(), s); err != nil {
		r.t.Fatal(err)
	}
	return r.result
}

func (r *rig) Inspect(_ context.Context, s palisade.Submission) (palisade.Inspection, error) {
	if s.Program.Language != palisade.Python {
		return palisade.Inspection{Trees: map[string]palisade.Digest{"": sha256.Sum256(s.Program.Source)}}, nil
	}
	tree, err := python.Parse(s.Program.Source, python.Options{})
	if err != nil {
		return palisade.Inspection{}, err
	}
	return palisade.Inspection{Trees: map[string]palisade.Digest{"": python.Digest(tree)}}, nil
}

func (r *rig) Decide(context.Context, palisade.Case) (palisade.Verdict, error) { return r.verdict, nil }

func (r *rig) Take(context.Context, string, palisade.Question) (palisade.Approval, error) {
	return palisade.Approval{}, errors.New("nobody is asked here")
}

func (r *rig) Append(_ context.Context, _ bool, events ...palisade.Event) error {
	for _, e := range events {
		if result, ok := e.Data.(palisade.Result); ok {
			r.result = result
		}
	}
	return nil
}

func (r *rig) Sanitize(palisade.Case, palisade.Verdict, palisade.Result) palisade.Sanitized {
	return palisade.Sanitized{}
}

func (r *rig) Refusal(palisade.Case, palisade.Verdict, *palisade.Approval) palisade.Feedback {
	return palisade.Feedback{}
}

func (r *rig) Writer(_ palisade.Case, w io.Writer) io.WriteCloser { return nopCloser{w} }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// said is all that a program printed, with how it ended.
func said(r palisade.Result) string {
	return fmt.Sprintf("%s %s\n%s%s\n%s%s", r.Status, r.Reason, r.Stdout.Head, r.Stdout.Tail, r.Stderr.Head, r.Stderr.Tail)
}

// acts are a result's attempts, one to a line.
func acts(r palisade.Result) string {
	var b strings.Builder
	for _, a := range r.Activity.Acts {
		word := "allowed"
		if a.Refused {
			word = "refused"
		}
		fmt.Fprintf(&b, "%s %s %s: %s\n", a.Kind, word, a.What, a.Detail)
	}
	return b.String()
}

// want holds a run's words and attempts to texts.
func want(t *testing.T, r palisade.Result, words, attempts []string) {
	t.Helper()
	for _, text := range words {
		if !strings.Contains(said(r), text) {
			t.Errorf("it did not say %q:\n%s", text, said(r))
		}
	}
	for _, text := range attempts {
		if !strings.Contains(acts(r), text) {
			t.Errorf("no attempt %q:\n%s", text, acts(r))
		}
	}
}

func greets(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s\n", text, r.Host, r.URL.Path)
	})
}

func TestPythonReachesAPeer(t *testing.T) {
	onEach(t, egress.Config{}, pythonReachesAPeer)
}

func pythonReachesAPeer(t *testing.T, r *rig) {
	port := ServeClear(t, greets("from outside"))
	start := time.Now()
	got := r.try(palisade.Python, `
import urllib.request
for path in "/a", "/b":
    print(urllib.request.urlopen("http://api.example.com:`+port+`" + path, timeout=5).read())
try:
    urllib.request.urlopen("http://other.example.com:`+port+`/", timeout=5)
except Exception as e:
    print(e.code, e.read())
import socket
try:
    socket.create_connection(("8.8.8.8", 53), timeout=2)
except OSError as e:
    print("no network:", e)
`, palisade.Peer{Name: "api.example.com:" + port})
	t.Logf("%v\n%s\n%s", time.Since(start), said(got), acts(got))
	want(t, got, []string{"ok", "from outside api.example.com:" + port + " /a", "/b", "403", "not among the peers", "no network: [Errno 101]"},
		[]string{"peer allowed api.example.com:" + port + ": GET /a; status 200", "peer refused other.example.com:" + port})
}

func TestTLSIsPassedOn(t *testing.T) {
	onEach(t, egress.Config{}, tlsIsPassedOn)
}

func tlsIsPassedOn(t *testing.T, r *rig) {
	port := ServeTLS(t, greets("secure"), "api.example.com", "other.example.com")
	got := r.try(palisade.Python, `
import urllib.request, ssl, socket, os
print(urllib.request.urlopen("https://api.example.com:`+port+`/x", timeout=5).read())
def tunnel(host, line):
    port = int(os.environ["HTTPS_PROXY"].rpartition(":")[2])
    s = socket.create_connection(("127.0.0.1", port))
    s.sendall(("CONNECT %s HTTP/1.1\r\n\r\n" % line).encode())
    answer = s.recv(500)
    if b" 200 " not in answer:
        return print(line, answer)
    try:
        s = ssl._create_unverified_context().wrap_socket(s, server_hostname=host)
        print("ESCAPED", line, host)
    except OSError as e:
        print(line, host, type(e).__name__, e)
tunnel("other.example.com", "api.example.com:`+port+`")
tunnel(None, "api.example.com:`+port+`")
tunnel("other.example.com", "other.example.com:`+port+`")
try:
    urllib.request.urlopen("https://evil.example.com:`+port+`/", timeout=5)
except OSError as e:
    print(e)
`, palisade.Peer{Name: "api.example.com:" + port})
	t.Logf("%s\n%s", said(got), acts(got))
	want(t, got, []string{"ok", "secure api.example.com:" + port + " /x", "alert access denied", "Tunnel connection failed: 403 palisade: evil.example.com:" + port + " is not among"},
		[]string{"peer allowed api.example.com:" + port + ": CONNECT, TLS passed on;", `refused api.example.com:` + port + `: TLS asks for the server "other.example.com", CONNECT for api.example.com`,
			"TLS does not say which server it asks for", "peer refused evil.example.com:" + port})
	if strings.Contains(said(got), "ESCAPED") {
		t.Error("it reached what it must not reach")
	}
}
