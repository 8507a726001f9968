package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"palisade/local"
)

func TestMain(m *testing.M) {
	local.Hook()
	testscript.Main(m, map[string]func(){"palisade": main})
}

// TestScript plays the stories in testdata/script: one file per user story, with
// real sandboxes, a real record and state folders of their own.
func TestScript(t *testing.T) {
	requireGate(t)
	signal.Ignore(os.Interrupt)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PALISADE_HOME", filepath.Join(env.WorkDir, "home"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
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
