package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestServeGuide runs the commands of docs/guide/serve.md in one shell, as somebody
// would who reads it from top to bottom; both ways to approve are tried.
func TestServeGuide(t *testing.T) {
	requireGate(t)
	if _, err := exec.LookPath("jq"); err != nil && os.Getenv("PALISADE_REQUIRE") != "" {
		t.Fatalf("the guide's commands read JSON with jq: %v", err)
	} else if err != nil {
		t.Skipf("the guide's commands read JSON with jq: %v", err)
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	// block is the one with a text, which no other has.
	block := func(text string) string {
		found := ""
		for _, b := range blocks {
			if strings.Contains(b[1], text) && found != "" {
				t.Fatalf("%q stands in two blocks", text)
			} else if strings.Contains(b[1], text) {
				found = b[1]
			}
		}
		if found == "" {
			t.Fatalf("no block has %q", text)
		}
		return found
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	// What the guide kills runs: RUN is a program that has begun.
	const long = `
RUN=$(curl -s localhost:8080/v1/executions -H "Authorization: Bearer $KEY" -H 'Prefer: respond-async' --json '{"code": "import time\ntime.sleep(9)"}' | jq -r .run)
until curl -s localhost:8080/v1/executions/$RUN -H "Authorization: Bearer $KEY" | jq -e .started; do sleep 0.1; done >/dev/null
`
	ask, again := block("cat >asks.json"), block("--json @asks.json\n")
	parts := []struct{ script, want string }{
		{"export PALISADE_SERVE_LISTEN=" + address + "\n" + block("palisade serve &"), `"output":"42\\n"`},
		{block("Idempotency-Key"), `(?m)^(\["[0-9a-z]{24}","\d+\\n"\])$`},
		{block("curl -sN"), `(?s)event: stdout\ndata: {"text":"0\\n"}.*{"text":"2\\n"}.*event: exit\ndata: .*"status":"ok"`},
		{ask + block("palisade approvals approve"), `(?s)reach the network: https://example.org/.*approved [0-9a-z]{10} as `},
		{again, `"may_have_run":true`},
		{ask + block("APPROVER="), `(?s)"standing":"waiting".*"granted":true,"approver":"user:ann@example.org"`},
		{again, `"may_have_run":true`},
		{block("palisade audit verify"), `(?s)^intact: 7 runs.*"verdict":"intact"`},
		{long + block("/v1/incident/kill"), `(?s)"running":\[{"run":"([0-9a-z]{24})".*"running":\[{"run":"[0-9a-z]{24}",.*"left":\[\].*"left":\[\].*"left":\[\]`},
	}
	var script strings.Builder
	for _, p := range parts {
		script.WriteString(strings.ReplaceAll(p.script, "localhost:8080", address) + "\necho; echo '=== next'\n")
	}
	out, code := newcomer(t)(script.String() + "kill $!; wait")
	answers := strings.Split(out, "\n=== next\n")
	if code != 0 || len(answers) != len(parts)+1 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	for i, p := range parts {
		if !regexp.MustCompile(p.want).MatchString(answers[i]) {
			t.Errorf("%s\nwant %s, got\n%s", p.script, p.want, answers[i])
		}
	}
	if same := strings.Split(strings.TrimSpace(answers[1]), "\n"); len(same) != 2 || same[0] != same[1] {
		t.Errorf("under one idempotency key: %q", same)
	}
}
