package httpapi_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/auth"
	"palisade/internal/httpapi"
	"palisade/internal/incident"
	"palisade/internal/store/storetest"
	"palisade/local"
)

var postgres storetest.Server

func TestMain(m *testing.M) { os.Exit(postgres.Main(m)) }

// both runs a test over SQLite and over PostgreSQL.
func both(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newWorld(t, "", httpapi.Limits{})) })
	t.Run("postgres", func(t *testing.T) { test(t, newWorld(t, postgres.Database(t), httpapi.Limits{})) })
}

// world is a server with a real record, index, keys, questions and brake, over a
// gate whose programs do what their text says.
type world struct {
	t      *testing.T
	home   string
	server *httpapi.Server
	web    *httptest.Server
	index  *local.Index
	brake  *local.Incident
	ran    atomic.Int64 // programs that were started
	checks busy         // of policy
	keys   map[string]string
	ids    map[string]string // keys' IDs
}

func newWorld(t *testing.T, dsn string, limits httpapi.Limits) *world {
	t.Helper()
	return openWorld(t, filepath.Join(t.TempDir(), "home"), dsn, limits)
}

// openWorld opens a state folder, perhaps one that another world had.
func openWorld(t *testing.T, home, dsn string, limits httpapi.Limits) *world {
	t.Helper()
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	config := ""
	if dsn != "" {
		config = fmt.Sprintf("store: {database: %q}\n", dsn)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: home, keys: map[string]string{}, ids: map[string]string{}}
	c := local.Config{Home: home, Door: local.DoorAPI}
	ctx := t.Context()
	log, err := audit.Open(ctx, audit.Config{
		Dir: filepath.Join(home, "audit"), KeyFile: filepath.Join(home, "keys", "audit.key"), PublicKeyFile: filepath.Join(home, "keys", "audit.pub"), Now: time.Now,
	})
	must(t, err)
	queue, err := local.OpenApprovals(ctx, c)
	must(t, err)
	w.index, err = local.OpenIndex(ctx, c)
	must(t, err)
	w.brake, err = local.OpenIncident(ctx, c)
	must(t, err)
	folder, err := incident.OpenFolder(incident.FolderConfig{Path: filepath.Join(home, "incident"), Now: time.Now})
	must(t, err)
	brake := incident.New(folder, nil)
	files, err := httpapi.OpenArtifacts(filepath.Join(home, "artifacts"), 0, 0, time.Now)
	must(t, err)
	t.Cleanup(func() {
		w.close()
		_, _, _, _, _, _ = files.Close(), folder.Close(), w.brake.Close(), w.index.Close(), queue.Close(), log.Close()
	})
	p := parts{w}
	gate, err := palisade.NewGate(palisade.Parts{
		Preparer: p, Inspector: p, Policy: p, Approvals: queue, Sandbox: brake.Sandbox(p), Sanitizer: p,
		Recorder: told{brake.Recorder(log), func(e palisade.Event) { w.server.Observe(e) }}, Now: time.Now, NewID: local.NewRunID,
	})
	must(t, err)
	if limits.Rate == 0 {
		limits.Rate = 1_000_000
	}
	w.server, err = httpapi.New(httpapi.Config{
		Gate: door{gate}, Door: w.index.Door, Index: w.index.Store, Record: w.index, Artifacts: files, Questions: queue.Queue,
		Audit: record{w}, Keys: w.index.Keys, Brake: puller{w.brake}, Policies: p, Reader: p, Limits: limits, Heartbeat: 100 * time.Millisecond, Now: time.Now, NewID: local.NewRunID,
	})
	must(t, err)
	w.web = httptest.NewServer(w.server)
	return w
}

func (w *world) close() {
	if w.web != nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		w.server.Drain(ctx)
		w.web.Close()
		w.web = nil
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// key returns a token, made on first use: "blue submitter", "system admin".
func (w *world) key(name string) string {
	w.t.Helper()
	if name == "" {
		return ""
	}
	if token, ok := w.keys[name]; ok {
		return token
	}
	words := strings.Fields(name)
	if strings.HasPrefix(words[1], "spare") {
		words[1] = "submitter"
	}
	roles, err := auth.ParseRoles([]string{words[1]})
	must(w.t, err)
	key, token, err := w.index.Keys.Create(w.t.Context(), auth.Operator("uid:0"), auth.Grant{Tenant: words[0], Roles: roles, Profiles: []string{"data"}})
	must(w.t, err)
	w.keys[name], w.ids[name] = token, key.ID
	return token
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

// ask sends a request; header holds names and values in turn.
func (w *world) ask(who, method, path, body string, header ...string) answer {
	w.t.Helper()
	a, err := w.try(who, method, path, body, header...)
	must(w.t, err)
	return a
}

func (w *world) try(who, method, path, body string, header ...string) (answer, error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r, err := http.NewRequest(method, w.web.URL+path, reader)
	if err != nil {
		return answer{}, err
	}
	if token := w.key(who); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" || method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i+1] == "" {
			r.Header.Del(header[i])
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	a := answer{status: resp.StatusCode, header: resp.Header, text: string(data)}
	_ = json.Unmarshal(data, &a.body)
	return a, err
}

// run submits a program and returns its outcome.
func (w *world) run(who, code string, header ...string) answer {
	w.t.Helper()
	body, err := json.Marshal(map[string]string{"code": code})
	must(w.t, err)
	return w.ask(who, "POST", "/v1/executions", string(body), header...)
}

// text is a member of an answer's body.
func (a answer) member(path string) string {
	var v any = a.body
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// door is the gate's way in.
type door struct{ *palisade.Gate }

func (d door) Run(ctx context.Context, s palisade.Submission) (palisade.Outcome, error) {
	s.Door = local.DoorAPI
	return d.Gate.Run(ctx, s)
}

type told struct {
	palisade.Recorder
	tell func(palisade.Event)
}

func (t told) Append(ctx context.Context, durable bool, events ...palisade.Event) error {
	err := t.Recorder.Append(ctx, durable, events...)
	for _, e := range events {
		if err == nil {
			t.tell(e)
		}
	}
	return err
}

// parts are those of a gate whose programs do what their text says: deny, ask,
// sleep, file, reject, break.
type parts struct{ w *world }

func (p parts) Prepare(_ context.Context, s palisade.Submission) (palisade.Submission, error) {
	if strings.Contains(string(s.Program.Source), "reject") {
		return s, &palisade.InputError{Reason: "it is rejected"}
	}
	return s, nil
}
func (parts) CheckValue(palisade.Submission, json.RawMessage) error { return nil }
func (parts) Inspect(_ context.Context, s palisade.Submission) (palisade.Inspection, error) {
	return palisade.Inspection{Trees: map[string]palisade.Digest{"": sha256.Sum256(s.Program.Source)}, Score: 7}, nil
}

func (parts) Decide(_ context.Context, c palisade.Case) (palisade.Verdict, error) {
	v := palisade.Verdict{
		Decision: palisade.Allow, Profile: "data", PolicyVersion: "1", Isolation: palisade.Isolation{Backends: []string{"box"}},
		Limits: palisade.Limits{CPU: 1, Wall: 1, Memory: 1, Output: 1, Kept: 1, Processes: 1, OpenFiles: 1, Disk: 1, Inodes: 1},
	}
	finding := palisade.Finding{Rule: "test", Severity: palisade.Medium, Capability: palisade.CapProcess, Message: "a word", Evidence: "how it was found"}
	for word, d := range map[string]palisade.Decision{"deny": palisade.Deny, "ask": palisade.Ask} {
		if strings.Contains(string(c.Submission.Program.Source), word) {
			v.Decision, v.Reasons = d, []palisade.Reason{{Finding: finding, Decision: d, Policy: "test"}}
		}
	}
	return v, nil
}

func (parts) Image(context.Context, palisade.Language, palisade.Isolation) (string, error) {
	return "image", nil
}

func (p parts) Run(ctx context.Context, permit palisade.Permit) (palisade.Result, error) {
	job, err := permit.Spend()
	if err != nil {
		return palisade.Result{}, err
	}
	ready := palisade.Ready{Backend: "box", Trees: map[string]palisade.Digest{"": sha256.Sum256(job.Program.Source)}}
	if err := job.Confirm(ctx, ready); err != nil {
		return palisade.Result{Status: palisade.Refused, Reason: err.Error(), ExitCode: -1}, nil
	}
	p.w.ran.Add(1)
	result := palisade.Result{Status: palisade.OK, MayHaveRun: true, Ready: ready}
	_, _ = job.Stdout.Write([]byte("hé"[:2]))
	_, _ = job.Stdout.Write([]byte("hé"[2:] + "\n"))
	switch code := string(job.Program.Source); {
	case strings.Contains(code, "sleep"):
		select {
		case <-ctx.Done():
			result.Status, result.ExitCode = palisade.Interrupted, -1
		case <-time.After(time.Minute):
		}
	case strings.Contains(code, "file"):
		data := []byte("the file of " + job.Run)
		result.Artifacts = []palisade.Artifact{{Name: "out/a b.txt", Size: int64(len(data)), Digest: sha256.Sum256(data), Data: data}}
	case strings.Contains(code, "break"):
		return result, fmt.Errorf("the box at /var/lib/secret/place broke")
	}
	result.Stdout = palisade.Captured{Head: []byte("hé\n"), Total: 4}
	return result, nil
}

func (parts) Sanitize(_ palisade.Case, _ palisade.Verdict, r palisade.Result) palisade.Sanitized {
	return palisade.Sanitized{Output: string(r.Stdout.Head), Feedback: palisade.Feedback{Type: r.Status, Text: string(r.Status)}}
}

func (parts) Refusal(_ palisade.Case, v palisade.Verdict, _ *palisade.Approval) palisade.Feedback {
	return palisade.Feedback{Type: palisade.PolicyViolation, Text: "policy says " + v.Decision.String()}
}

func (parts) Writer(_ palisade.Case, w io.Writer) io.WriteCloser { return passing{w} }

type passing struct{ io.Writer }

func (passing) Close() error { return nil }

func (p parts) Scan(ctx context.Context, s palisade.Submission) (palisade.Inspection, palisade.Verdict, error) {
	s, err := p.Prepare(ctx, s)
	if err != nil {
		return palisade.Inspection{}, palisade.Verdict{}, err
	}
	i, _ := p.Inspect(ctx, s)
	v, err := p.Decide(ctx, palisade.Case{Submission: s, Inspection: i})
	return i, v, err
}

func (parts) Profiles() []httpapi.Profile {
	return []httpapi.Profile{{Name: "data", Version: "1", Default: true}}
}
func (parts) Usual(language palisade.Language) (usual, fallback string) {
	if language == palisade.Shell {
		return "agent", "data"
	}
	return "data", "data"
}
func (parts) Text(profile string) (string, bool) { return "version: 1\n", profile == "data" }
func (p parts) Check(text string) []httpapi.Problem {
	defer p.w.checks.enter()()
	if strings.Contains(text, "wrong") {
		return []httpapi.Problem{{Line: 1, Column: 1, Message: "it is wrong"}}
	}
	return nil
}

func (p parts) Explain(profile, thing string) (string, bool) {
	defer p.w.checks.enter()()
	return thing + ": denied", profile == "" || profile == "data"
}

// puller is the brake of a state folder.
type puller struct{ *local.Incident }

func (p puller) Lockdown(ctx context.Context, on bool, who, why string) (httpapi.Stopped, error) {
	out, err := p.Incident.Lockdown(ctx, on, who, why)
	return httpapi.Stopped(out), err
}

func (p puller) Kill(ctx context.Context, r incident.Request) (httpapi.Stopped, error) {
	out, err := p.Incident.Kill(ctx, r)
	if err != nil && strings.Contains(err.Error(), local.ErrNotRunning.Error()) {
		err = httpapi.ErrNotRunning
	}
	return httpapi.Stopped(out), err
}

// record is the record itself.
type record struct{ w *world }

func (r record) View(ctx context.Context) (audit.View, error) { return r.w.index.View(ctx) }

func (r record) PublicKey() (string, error) {
	return audit.ReadPublicKey(filepath.Join(r.w.home, "keys", "audit.pub"))
}

func (r record) Verify(ctx context.Context) (audit.Report, error) {
	key, err := r.PublicKey()
	if err != nil {
		return audit.Report{}, err
	}
	return audit.Verify(ctx, filepath.Join(r.w.home, "audit"), key, audit.VerifyOptions{})
}

func (record) Investigate(_ context.Context, run string) (*incident.Report, error) {
	return &incident.Report{Run: run}, nil
}

// operator is whoever runs commands on the gate's own machine.
var operator = auth.Operator("uid:0")

// submitsAndApproves grants the roles of who submits and who approves.
func submitsAndApproves(tenant, owner string) auth.Grant {
	return auth.Grant{Tenant: tenant, Owner: owner, Roles: []auth.Role{auth.Submitter, auth.Approver}, Profiles: []string{"data"}}
}

type proof = audit.Proof
