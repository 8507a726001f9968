package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestE2BClient plays E2B's own client for JavaScript against a real server.
func TestE2BClient(t *testing.T) {
	requireGate(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "e2b"))); err != nil {
		t.Fatal(err)
	}
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		if slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), "e2b") {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
		t.Skipf("E2B's client cannot be installed here: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	s := serve(t, filepath.Join(t.TempDir(), "home"), "--e2b", address)
	node := exec.Command("node", "journey.mjs")
	node.Dir = dir
	node.Env = append(os.Environ(), "E2B_API_KEY="+s.key("--role", "submitter"), "E2B_API_URL=http://"+address, "E2B_SANDBOX_URL=http://"+address)
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got struct {
		Stdout, Text, PNG string
		Error             any
		Second            struct{ Name, Value string }
		Killed            bool
		After             struct{ Thrown string }
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got.Error != nil || got.Stdout != "hello\n" || got.Text != "6" || !strings.HasPrefix(got.PNG, "iVBORw0KGgo") {
		t.Errorf("the first program: %s", out)
	}
	if got.Second.Name != "NameError" || !strings.Contains(got.Second.Value, "state is not kept between programs") {
		t.Errorf("the second program: %s", out)
	}
	if !got.Killed || got.After.Thrown == "" {
		t.Errorf("closed: %s", out)
	}
}
