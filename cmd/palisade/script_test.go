package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"palisade/internal/egress"
	"palisade/internal/egress/egresstest"
	"palisade/internal/rootfs"
	"palisade/local"
)

func TestMain(m *testing.M) {
	egress.Pretend(egresstest.Lookup, egresstest.Forbidden, egresstest.Roots)
	local.Hook()
	testscript.Main(m, map[string]func(){"palisade": main})
}

// TestScript plays the stories in testdata/script: one file per user story, with
// real sandboxes, a real record and state folders of their own.
func TestScript(t *testing.T) {
	requireGate(t)
	signal.Ignore(os.Interrupt)
	greets := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s, token %v\n", r.Method, r.URL.Path, r.Header.Get("X-Token"))
	})
	clear, secure := egresstest.ServeClear(t, greets), egresstest.ServeTLS(t, greets, "api.example.com")
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PALISADE_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("PEER_CLEAR", clear)
			env.Setenv("PEER_TLS", secure)
			scripts, err := filepath.Abs(filepath.Join("..", "..", "scripts"))
			env.Setenv("SCRIPTS", scripts)
			return err
		},
		Condition: func(name string) (bool, error) { return runs(t, name) },
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// runs reports whether this machine has a language's interpreter; where it is
// required, that it has not is a failure.
func runs(t *testing.T, language string) (bool, error) {
	file, known := map[string]string{"shell": rootfs.DefaultShell, "javascript": rootfs.DefaultNode()}[language]
	if !known {
		return false, fmt.Errorf("unknown condition %q", language)
	}
	_, err := os.Stat(file)
	if err != nil && slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), language) {
		t.Errorf("%s is required: %v", language, err)
	}
	return err == nil, nil
}

// exits runs a command and checks its exit code: exits 3 palisade run x.py
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if coded, ok := err.(interface{ ExitCode() int }); ok {
		code = strconv.Itoa(coded.ExitCode())
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if code != args[0] {
		ts.Fatalf("%s exited with %s, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}
