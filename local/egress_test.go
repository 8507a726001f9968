package local_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/approval"
	"palisade/internal/egress/egresstest"
	"palisade/local"
)

func greets(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "from %s%s", r.Host, r.URL.Path) }

// TestApprovedPeersAreReached: a human says yes to a program that wants a peer,
// and in that run it reaches this peer and no other.
func TestApprovedPeersAreReached(t *testing.T) {
	port := egresstest.ServeClear(t, http.HandlerFunc(greets))
	c := local.Config{Home: t.TempDir(), Submitter: "uid:424242"}
	gate := open(t, c)
	s := program(`import sys, urllib.request
print(urllib.request.urlopen("http://api.example.com:` + port + `/data", timeout=5).read().decode())
try:
    print(urllib.request.urlopen(sys.stdin.read(), timeout=5).read())
except urllib.request.HTTPError as e:
    print("refused", e.code)
`)
	s.Stdin = []byte("http://evil.example.com:" + port + "/")
	out, err := gate.Run(t.Context(), s)
	if err != nil || out.Status != palisade.ApprovalRequired {
		t.Fatalf("%s %v %v", out.Status, out.Violations, err)
	}
	answer(t, c, out.Approval, "api.example.com:"+port)
	out, err = gate.Run(t.Context(), s)
	if err != nil || out.Status != palisade.OK || !strings.Contains(out.Output, "from api.example.com:"+port+"/data\nrefused 403") {
		t.Fatalf("%s %q %q %v %v", out.Status, out.Output, out.Stderr, out.Feedback, err)
	}
	if out.Sandbox.Layers["network"] != "proxy" {
		t.Errorf("layers: %v", out.Sandbox.Layers)
	}
	if out, err := gate.Run(t.Context(), s); err != nil || out.Status != palisade.ApprovalRequired {
		t.Errorf("the answer counts again: %s %v", out.Status, err)
	}
}

// answer approves a question as another human, who is shown the peer.
func answer(t *testing.T, c local.Config, a *palisade.Approval, peer string) {
	t.Helper()
	questions, err := local.OpenApprovals(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer questions.Close()
	q, item, err := questions.Show(t.Context(), a.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(questions.Text(q, item)), " ")
	if !strings.Contains(text, "peers "+peer+" runtime") || !strings.Contains(text, "peers that the reading could not tell cannot be granted") {
		t.Errorf("the approver is not shown %s:\n%s", peer, text)
	}
	_, err = questions.Answer(t.Context(), approval.Decision{Ticket: a.Ticket, Digest: a.Binding.String(), Approver: "uid:2000", Approve: true, Comment: "looked"})
	if err != nil {
		t.Fatal(err)
	}
}

// TestConfiguredWayOut is the whole of it: a policy file with a bound peer, a
// credential of the configuration, a program that uses both, on each back-end.
func TestConfiguredWayOut(t *testing.T) {
	for _, backend := range []string{"gvisor", "native"} {
		t.Run(backend, func(t *testing.T) { configuredWayOut(t, backend) })
	}
}

func configuredWayOut(t *testing.T, backend string) {
	const value = "s3cr3t-value-0123456789"
	port := egresstest.ServeTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %v", r.Method, r.URL.Path, r.Header.Get("Authorization") == "Bearer "+value)
	}), "api.example.com")
	home := t.TempDir()
	for name, text := range map[string]string{
		"token":       value + "\n",
		"config.yaml": "policy: [policy.yaml]\negress: {secrets: {EXAMPLE_TOKEN: {file: token, host: 'api.example.com:" + port + "'}}}\n",
		"policy.yaml": `version: 1
default: web
profiles:
  web:
    extends: data
    isolation: {backends: [` + backend + `]}
    modules: {allow: [urllib.request], unask: [urllib.request]}
    network:
      allow: [{peer: "api.example.com:` + port + `", tls: terminate, methods: [GET], paths: [/v1/**], secrets: [EXAMPLE_TOKEN]}]
`,
	} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gate := open(t, local.Config{Home: home})
	out, err := gate.Run(t.Context(), program(`import os, urllib.request
def call(method, path):
    q = urllib.request.Request("https://api.example.com:`+port+`" + path, method=method, headers={"Authorization": "Bearer " + os.environ["EXAMPLE_TOKEN"]})
    try:
        print(urllib.request.urlopen(q, timeout=5).read().decode())
    except urllib.request.HTTPError as e:
        print(e.code)
call("GET", "/v1/me")
call("POST", "/v1/me")
call("GET", "/admin")
`))
	if err != nil || out.Status != palisade.OK || out.Sandbox.Backend != backend || out.Output != "GET /v1/me True\n403\n403\n" && out.Output != "GET /v1/me true\n403\n403\n" {
		t.Fatalf("%s %q %q %v %v", out.Status, out.Output, out.Stderr, out.Violations, err)
	}
	err = filepath.WalkDir(filepath.Join(home, "audit"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if strings.Contains(string(data), "s3cr3t") {
			t.Errorf("the credential is in %s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte("policy: [policy.yaml]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if gate, err := local.Open(t.Context(), local.Config{Home: home}); err == nil || !strings.Contains(err.Error(), "EXAMPLE_TOKEN") {
		t.Errorf("a secret that config does not have: %v", err)
		_ = gate.Close()
	}
}
