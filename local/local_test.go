package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"palisade"
	"palisade/internal/egress"
	"palisade/internal/egress/egresstest"
	"palisade/local"
)

func TestMain(m *testing.M) {
	egress.Pretend(egresstest.Lookup, egresstest.Forbidden, egresstest.Roots)
	local.Hook()
	os.Exit(m.Run())
}

// open opens a gate at home, which is made where it is missing.
func open(t testing.TB, c local.Config) *local.Gate {
	t.Helper()
	gate, err := local.Open(t.Context(), c)
	if err != nil {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), "gvisor") {
			t.Fatalf("no sandbox: %v", err)
		}
		t.Skipf("no sandbox: %v", err)
	}
	t.Cleanup(func() {
		if err := gate.Close(); err != nil {
			t.Error(err)
		}
	})
	return gate
}

func program(source string) palisade.Submission {
	return palisade.Submission{Program: palisade.Program{Language: palisade.Python, Name: "p.py", Source: []byte(source)}}
}

func Example() {
	// In main: local.Hook() first.
	ctx := context.Background()
	home, err := os.MkdirTemp("", "palisade-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	gate, err := local.Open(ctx, local.Config{Home: home})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	out, err := gate.Run(ctx, palisade.Submission{
		Submitter: "user:42",
		Program:   palisade.Program{Language: palisade.Python, Name: "answer.py", Source: []byte("print(6 * 7)")},
	})
	if err != nil {
		fmt.Println(err) // the gate itself failed; a denial is an outcome
		return
	}
	fmt.Printf("%s %q\n", out.Status, out.Output)
	// Output: ok "42\n"
}

func TestOpenRefuses(t *testing.T) {
	for name, spoil := range map[string]func(home string) error{
		"unknown key": func(home string) error {
			return os.WriteFile(filepath.Join(home, "config.yaml"), []byte("polcy: []\n"), 0o600)
		},
		"no such policy": func(home string) error {
			return os.WriteFile(filepath.Join(home, "config.yaml"), []byte("policy: [nowhere.yaml]\n"), 0o600)
		},
		"no interpreter": func(home string) error {
			return os.WriteFile(filepath.Join(home, "config.yaml"), []byte("runtime: {python: /nowhere/python3}\n"), 0o600)
		},
		"log is a file": func(home string) error {
			return os.WriteFile(filepath.Join(home, "audit"), nil, 0o600)
		},
	} {
		home := t.TempDir()
		if err := spoil(home); err != nil {
			t.Fatal(err)
		}
		if gate, err := local.Open(t.Context(), local.Config{Home: home}); err == nil {
			gate.Close()
			t.Errorf("%s: the gate opened", name)
		}
	}
}

func TestADoorNamesNoProfileUnlessConfigSaysSo(t *testing.T) {
	home := t.TempDir()
	s := program("print(1)")
	s.Profile = "agent"
	s.Door = "cli" // a submission does not choose its door
	out, err := open(t, local.Config{Home: home}).Run(t.Context(), s)
	if err != nil || out.Status != palisade.PolicyViolation || out.MayHaveRun {
		t.Errorf("door go named agent: %+v, %v", out.Status, err)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte("callers: {doors: {go: [agent]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := open(t, local.Config{Home: home}).Run(t.Context(), s); err != nil || out.Status != palisade.OK {
		t.Errorf("door go may name agent by config: %+v, %v", out.Status, err)
	}
}

func TestUnknownProfileIsInvalidInput(t *testing.T) {
	s := program("print(1)")
	s.Profile = "nosuch"
	_, err := open(t, local.Config{Home: t.TempDir()}).Run(t.Context(), s)
	if invalid := (*palisade.InputError)(nil); !errors.As(err, &invalid) {
		t.Errorf("err %v, want an *InputError", err)
	}
}

func TestRunsAtOnce(t *testing.T) {
	gate := open(t, local.Config{Home: t.TempDir()})
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			out, err := gate.Run(t.Context(), program(fmt.Sprintf("print(%d * 7)", i)))
			if want := fmt.Sprintf("%d\n", i*7); err != nil || out.Output != want {
				t.Errorf("run %d: %q (%s, %v), want %q", i, out.Output, out.Status, err, want)
			}
		})
	}
	wg.Wait()
}

func TestACallerWhoHangsUpIsRecorded(t *testing.T) {
	gate := open(t, local.Config{Home: t.TempDir()})
	ctx, cancel := context.WithCancel(t.Context())
	seen := &firstWrite{then: cancel}
	s := program("print('on', flush=True)\nimport time\ntime.sleep(60)")
	s.Live.Stdout = seen
	out, err := gate.Run(ctx, s)
	if err != nil || out.Status != palisade.Interrupted || !out.MayHaveRun {
		t.Errorf("%+v, %v", out.Status, err)
	}
}

// firstWrite calls then at the first write.
type firstWrite struct {
	once sync.Once
	then func()
}

func (w *firstWrite) Write(p []byte) (int, error) {
	w.once.Do(w.then)
	return len(p), nil
}

// TestWordsAgree holds policy's words to the back-end's: a group of system calls
// or a layer that one knows and the other does not would refuse every run.
func TestWordsAgree(t *testing.T) {
	gate := open(t, local.Config{Home: t.TempDir(), Door: "cli"})
	for _, profile := range []string{"pal", "data", "agent"} {
		s := program("print(1)")
		s.Profile = profile
		if out, err := gate.Run(t.Context(), s); err != nil || out.Status != palisade.OK {
			t.Errorf("profile %s: %s %v %v", profile, out.Status, out.Errors, err)
		}
	}
}

// A mirror that takes no copy shows as what it is, not as a sandbox's fault.
func TestChecksTryTheMirrors(t *testing.T) {
	for name, mirror := range map[string]string{
		"fails":   "{kind: command, command: [/bin/false]}",
		"missing": "{kind: folder, folder: heads}",
	} {
		home := t.TempDir()
		checks := func() local.Check {
			all := local.Checks(t.Context(), local.Config{Home: home})
			return all[len(all)-1]
		}
		text := "audit: {mirrors: [" + mirror + "]}\n"
		if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // when the log is made, and later
			if last := checks(); last.Name != "record" || last.Err == nil || !strings.Contains(last.Fix, "mirror") {
				t.Errorf("%s: %+v", name, last)
			}
		}
	}
}
