package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// served is a real server in a process of its own.
type served struct {
	t     *testing.T
	home  string
	url   string
	admin string // the operator's token, where this start made it
	cmd   *exec.Cmd
	log   *bytes.Buffer
}

// binary is a command of the binary under test.
func binary(home string, args ...string) *exec.Cmd {
	self, _ := os.Executable()
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "palisade" // see testscript.Main
	cmd.Env = append(os.Environ(), "PALISADE_HOME="+home)
	return cmd
}

// serve starts a server on a state folder.
func serve(t *testing.T, home string, args ...string) *served {
	t.Helper()
	s := &served{t: t, home: home, log: &bytes.Buffer{}}
	s.cmd = binary(home, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	stdout, err := os.Create(filepath.Join(t.TempDir(), "stdout")) // a file: what was written is there at once
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	s.cmd.Stdout = stdout
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		s.log.WriteString(lines.Text() + "\n")
		if _, url, ok := strings.Cut(lines.Text(), "serving on "); ok {
			s.url = url
			break
		}
	}
	if s.url == "" {
		t.Fatalf("the server did not start:\n%s", s.log)
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	told, err := os.ReadFile(stdout.Name())
	if err != nil {
		t.Fatal(err)
	}
	s.admin = strings.TrimSpace(string(told))
	return s
}

// key makes a key on the server's machine.
func (s *served) key(args ...string) string {
	s.t.Helper()
	cmd := binary(s.home, append([]string{"keys", "create"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("keys create: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// ask sends a request and returns the answer.
func (s *served) ask(key, method, path, body string, header ...string) (int, http.Header, map[string]any) {
	s.t.Helper()
	status, h, data, err := ask(s.url, key, method, path, body, header...)
	if err != nil {
		s.t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		s.t.Fatalf("%s %s: %d %q", method, path, status, data)
	}
	return status, h, got
}

func ask(url, key, method, path, body string, header ...string) (int, http.Header, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, data, err
}

// stop ends the server by a signal and returns its exit code.
func (s *served) stop(sig os.Signal) int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	err := s.cmd.Wait()
	if coded, ok := errors.AsType[*exec.ExitError](err); ok {
		return coded.ExitCode()
	}
	return 0
}

// TestServe: a program by HTTP, once under one key, also after a restart.
func TestServe(t *testing.T) {
	requireGate(t)
	home := filepath.Join(t.TempDir(), "home")
	s := serve(t, home)
	if !strings.HasPrefix(s.admin, "pal_") {
		t.Fatalf("the first start told %q", s.admin)
	}
	key := s.key("--role", "submitter", "--profile", "pal")
	const program = `{"code": "import time\nprint(time.time_ns())", "profile": "data"}`
	if status, _, got := s.ask(key, "POST", "/v1/executions", program); status != 403 || got["code"] != "forbidden" {
		t.Errorf("a profile that the key may not name: %d %v", status, got)
	}
	const other = `{"code": "import time\nprint(time.time_ns())"}`
	status, _, first := s.ask(key, "POST", "/v1/executions", other, "Idempotency-Key", "k1")
	if status != 200 || first["status"] != "ok" || first["output"] == "" {
		t.Fatalf("%d %v", status, first)
	}
	if status, _, got := s.ask(key, "POST", "/v1/executions", `{"code": "print(2)"}`, "Idempotency-Key", "k1"); status != 422 || got["code"] != "reused" {
		t.Errorf("another request under the key: %d %v", status, got)
	}
	if out, err := binary(home, "serve", "--listen", "127.0.0.1:0").CombinedOutput(); err == nil || !strings.Contains(string(out), "another palisade serve has this state folder") {
		t.Errorf("a second server: %v, %s", err, out)
	}
	if code := s.stop(os.Interrupt); code != 0 {
		t.Errorf("stopped: exit code %d", code)
	}
	s = serve(t, home)
	if s.admin != "" {
		t.Error("a second start made another key")
	}
	_, _, again := s.ask(key, "POST", "/v1/executions", other, "Idempotency-Key", "k1")
	if again["run"] != first["run"] || again["output"] != first["output"] {
		t.Errorf("after a restart it ran again:\n%v\n%v", first, again)
	}
}

// TestServeKilled: what a killed server was running has its end on the record after
// the next start, and no retry runs it twice.
func TestServeKilled(t *testing.T) {
	requireGate(t)
	home := filepath.Join(t.TempDir(), "home")
	s := serve(t, home)
	key := s.key("--role", "submitter")
	const program = `{"code": "import time\nprint('begun', flush=True)\ntime.sleep(8)"}`
	status, header, got := s.ask(key, "POST", "/v1/executions", program, "Prefer", "respond-async", "Idempotency-Key", "k1")
	if status != 202 || header.Get("Location") == "" {
		t.Fatalf("%d %v", status, got)
	}
	where := header.Get("Location")
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, _, now := s.ask(key, "GET", where, "")
		if now["started"] == true {
			break
		}
		if now["state"] == "done" || time.Now().After(end) {
			t.Fatalf("it did not start: %v", now)
		}
	}
	s.stop(syscall.SIGKILL)
	s = serve(t, home)
	_, _, after := s.ask(key, "GET", where, "")
	if after["state"] != "done" || after["status"] != "interrupted" || after["may_have_run"] != true {
		t.Fatalf("after the kill: %v", after)
	}
	status, _, retry := s.ask(key, "POST", "/v1/executions", program, "Idempotency-Key", "k1")
	if status != 200 || retry["status"] != "interrupted" || retry["run"] != got["run"] {
		t.Errorf("a retry: %d %v", status, retry)
	}
}

// TestServeStops: a signal ends the server in order. What runs has its time, then it
// is ended, and everything is on the record.
func TestServeStops(t *testing.T) {
	requireGate(t)
	home := filepath.Join(t.TempDir(), "home")
	s := serve(t, home, "--drain", "1s")
	key := s.key("--role", "submitter")
	_, header, _ := s.ask(key, "POST", "/v1/executions", `{"code": "import time\ntime.sleep(8)"}`, "Prefer", "respond-async")
	where := header.Get("Location")
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, _, now := s.ask(key, "GET", where, ""); now["started"] == true {
			break
		}
	}
	if code := s.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s = serve(t, home)
	if strings.Contains(s.log.String(), "had no end") {
		t.Errorf("the server that stopped in order left something: %s", s.log)
	}
	if _, _, got := s.ask(key, "GET", where, ""); got["status"] != "interrupted" || got["state"] != "done" {
		t.Errorf("%v", got)
	}
}

// TestServeJourney: a newcomer submits, has it approved from the command line, reads
// a file of the program, and verifies the record.
func TestServeJourney(t *testing.T) {
	requireGate(t)
	home := filepath.Join(t.TempDir(), "home")
	s := serve(t, home)
	key := s.key("--role", "submitter")
	const asks = `{"code": "import urllib.request\nopen('left.txt', 'w').write('here')\nprint(urllib.request.__name__)\ntry:\n    urllib.request.urlopen('https://example.org/')\nexcept OSError:\n    print('no way out')"}`
	status, _, got := s.ask(key, "POST", "/v1/executions", asks)
	approval, _ := got["approval"].(map[string]any)
	if status != 202 || approval == nil {
		t.Fatalf("%d %v", status, got)
	}
	ticket, digest := approval["ticket"].(string), approval["digest"].(string)
	if out, err := binary(home, "approvals", "approve", ticket, digest[:12], "--comment", "looked at it").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	status, _, got = s.ask(key, "POST", "/v1/executions", asks)
	if status != 200 || got["may_have_run"] != true {
		t.Fatalf("%d %v", status, got)
	}
	_, _, file, err := ask(s.url, key, "GET", "/v1/executions/"+got["run"].(string)+"/artifacts/left.txt", "")
	if err != nil || string(file) != "here" {
		t.Errorf("%q, %v", file, err)
	}
	if status, _, got := s.ask(s.admin, "POST", "/v1/audit/verify", `{}`); status != 200 || got["verdict"] != "consistent, not anchored" {
		t.Errorf("%d %v", status, got)
	}
	if status, _, got := s.ask(s.admin, "GET", "/v1/audit/reports/"+got["run"].(string), ""); status != 200 || got["door"] != "api" {
		t.Errorf("%d %v", status, got)
	}
}

// TestServeRefuses: what would put keys on the wire in clear, and what does not read.
func TestServeRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", "0.0.0.0:0"}, "give --tls-cert and --tls-key, or --plain"},
		{[]string{"--listen", ":0"}, "--listen: serve.listen: :0 can be reached by other machines"},
		{[]string{"--listen", "nowhere"}, `--listen: serve.listen: "nowhere" is no address; write host:port`},
		{[]string{"--tls-cert", "cert.pem"}, "--tls-cert: serve.certificate: TLS needs --tls-cert and --tls-key: the key is missing"},
		{[]string{"--drain", "soon"}, "serve.drain"},
	} {
		out, err := binary(filepath.Join(t.TempDir(), "home"), append([]string{"serve"}, c.args...)...).CombinedOutput()
		if coded, ok := errors.AsType[*exec.ExitError](err); !ok || coded.ExitCode() != 2 || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: %v, %s", c.args, err, out)
		}
	}
}

// TestReadmeServes runs the README's three lines, on a port of the test's.
func TestReadmeServes(t *testing.T) {
	requireGate(t)
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "## Over HTTP")
	_, rest, _ = strings.Cut(rest, "```sh\n")
	lines, _, _ := strings.Cut(rest, "```")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	script := "export PALISADE_SERVE_LISTEN=" + address + "\n" + strings.ReplaceAll(lines, "localhost:8080", address) + "\nkill $!; wait"
	out, code := newcomer(t)(script)
	if code != 0 || !strings.Contains(out, `"output":"42\n"`) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
