package egress

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"palisade"
	"palisade/internal/egress/egresstest"
)

// TestReportedNet plays what was reported of other products' ways out. Each is
// blocked and told.
func TestReportedNet(t *testing.T) {
	var reached atomic.Int64
	port := egresstest.ServeClear(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	for technique, hosts := range map[string][]string{
		"NAT64": {"[64:ff9b::a9fe:a9fe]"}, "decimal and octal": {"2852039166", "0251.0376.0251.0376"}, "metadata of Oracle": {"192.0.0.192"},
		"another host behind a backslash": {"api.example.com\\@evil.example.net"}, "user in the URL": {"api.example.com@evil.example.net"},
		"trailing dot": {"api.example.com."}, "other scripts": {"\u24d0pi.example.com", "xn--pi-xza.example.net"},
	} {
		for _, host := range hosts {
			w := newWay(t, runConfig{Run: "r", Peers: []palisade.Peer{{Name: "api.example.com:" + port}, {Name: "0.0.0.0/0"}, {Name: "::/0"}}})
			for _, form := range []string{"GET http://%s:" + port + "/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n", "CONNECT %s:" + port + " HTTP/1.1\r\n\r\n"} {
				if resp := w.ask(fmt.Sprintf(form, host)); resp.passed() {
					t.Errorf("%s: %s: %s", technique, host, resp.status)
				}
			}
			if !w.told(true, "") {
				t.Errorf("%s: %s: nothing was told", technique, host)
			}
		}
	}
	if reached.Load() != 0 {
		t.Error("something arrived")
	}
}

// TestReportedRebinding: the first answer for a name stays for the run, and one
// that means this host's network is refused at once.
func TestReportedRebinding(t *testing.T) {
	port := egresstest.ServeClear(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	w := newWay(t, runConfig{Run: "r", Peers: []palisade.Peer{{Name: "*.example.com:" + port}}})
	var asked atomic.Int64
	w.session.reach.world.lookup = func(context.Context, []string, string) ([]netip.Addr, error) {
		if asked.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
	}
	for range 3 {
		if resp := w.ask("GET http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: x\r\n\r\n"); resp.code != http.StatusNoContent {
			t.Error(resp.status)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the name was resolved %d times", n)
	}
	if resp := w.ask("GET http://other.example.com:" + port + "/ HTTP/1.1\r\nHost: x\r\n\r\n"); resp.code != http.StatusForbidden || !strings.Contains(resp.body, "127.0.0.2, loopback") {
		t.Error(resp.status, resp.body)
	}
	if !w.told(true, "other.example.com") {
		t.Error("nothing was told")
	}
}

// TestOnlyTestsPretend holds the product to the real world: what stands in for it
// is called by tests alone.
func TestOnlyTestsPretend(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if filepath.Base(filepath.Dir(name)) != "egress" && strings.Contains(string(source), "Pretend(") {
			t.Errorf("%s calls Pretend", name)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imported := range parsed.Imports {
			if strings.HasSuffix(strings.Trim(imported.Path.Value, `"`), "/egresstest") {
				t.Errorf("%s imports a tests' world", name)
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files: %v", files, err)
	}
}
