package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"palisade"
	"palisade/internal/bench"
	"palisade/local"
)

// timedProgram is one program that is measured.
type timedProgram struct {
	bench.Program
	language palisade.Language
	source   string
}

// benchPrograms are what is measured: a start, a small calculation of the kind
// that models write to answer a question (PAL), and the two libraries whose
// import takes longer than most programs.
func benchPrograms() []timedProgram {
	var all []timedProgram
	for _, p := range []struct {
		name     string
		language palisade.Language
		source   string
	}{
		{"pass", palisade.Python, "pass"},
		{"pal", palisade.Python, `def solution():
    eggs_per_day, eaten, baked, price = 16, 3, 4, 2
    return (eggs_per_day - eaten - baked) * price
print(solution())`},
		{"numpy", palisade.Python, `import numpy as np
a = np.arange(90000.0).reshape(300, 300)
print((a @ a).trace())`},
		{"pandas", palisade.Python, `import pandas as pd
df = pd.DataFrame({"k": list("aabbc") * 200, "x": range(1000)})
print(df.groupby("k")["x"].mean().to_dict())`},
		{"shell", palisade.Shell, "true"},
		{"javascript", palisade.JavaScript, "0"},
	} {
		all = append(all, timedProgram{bench.Program{Name: p.name}, p.language, p.source})
	}
	return all
}

func programNames() (names []string) {
	for _, p := range benchPrograms() {
		names = append(names, p.Name)
	}
	return names
}

// bare is the command that runs a program with no sandbox.
func (p timedProgram) bare(f benchRunFlags) []string {
	switch p.language {
	case palisade.Shell:
		return []string{"/bin/bash", "-c", p.source}
	case palisade.JavaScript:
		return []string{"/usr/bin/node", "-e", p.source}
	default:
		return []string{f.python, "-I", "-c", p.source}
	}
}

func (p timedProgram) command(f benchRunFlags) string {
	argv := p.bare(f)
	return strings.Join(append(argv[:len(argv)-1:len(argv)-1], "PROGRAM"), " ")
}

// profile is the profile of the bench's own policy that takes a program.
func (p timedProgram) profile() string {
	if p.language == palisade.Python {
		return "bench"
	}
	return "bench-agent"
}

// subject is one way to run programs.
type subject struct {
	name, detail string
	kind         bench.Kind
	warm         bool // it keeps sandboxes ready
	elsewhere    bool // its work is done by processes that are not below this one
	python       bool // it runs Python alone
	cannot       []string
	run          func(ctx context.Context, p timedProgram) (warm bool, err error)
	close        func() error
	// reopen makes the same gate anew; boxes are the first processes of those
	// that it keeps.
	reopen func(ctx context.Context) (*subject, error)
	boxes  func() []int
}

// takes reports whether a subject runs a program.
func (s *subject) takes(p timedProgram) bool {
	return (!s.python || p.language == palisade.Python) && !slices.Contains(s.cannot, p.Name)
}

// warmPatience is how long a gate gets to have a sandbox ready.
const warmPatience = 2 * time.Minute

// errNoBoxes says that nothing waits where something should.
var errNoBoxes = errors.New("no sandbox waits")

// ready runs a program until it runs as it will: where sandboxes are kept ready,
// from one of those.
func (s *subject) ready(ctx context.Context, p timedProgram) error {
	for start := time.Now(); ; {
		warm, err := s.run(ctx, p)
		if err != nil || warm || !s.warm {
			return err
		}
		if time.Since(start) > warmPatience {
			return fmt.Errorf("no sandbox was ready within %v", warmPatience)
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// oneThread gives numeric libraries one thread, as in our sandboxes.
var oneThread = []string{"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1"}

// execute runs a command to its end; what it complains of is its error.
func execute(ctx context.Context, argv ...string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), oneThread...)
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(stderr.String()); said != "" {
			return fmt.Errorf("%s: %w: %s", filepath.Base(argv[0]), err, said)
		}
		return fmt.Errorf("%s: %w", filepath.Base(argv[0]), err)
	}
	return nil
}

func bareSubject(f benchRunFlags) *subject {
	return &subject{
		name: "bare", kind: bench.Bare, detail: "the interpreter, with no sandbox and one thread for numeric libraries",
		run: func(ctx context.Context, p timedProgram) (bool, error) { return false, execute(ctx, p.bare(f)...) },
	}
}

// benchBackends are the back-ends, each with what a profile must say to get it.
var benchBackends = []struct{ name, isolation string }{
	{"gvisor", ""},
	{"native", "isolation: {backends: [native], layers: {kernel: , sentry_seccomp: , sentry_capabilities: }}"},
}

// ourSubjects are the command line, and a gate for each back-end, cold and warm.
func (r *benchRunner) ourSubjects(ctx context.Context) ([]*subject, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	home, err := r.home("process", "")
	if err != nil {
		return nil, err
	}
	all := []*subject{{
		name: "palisade run", kind: bench.Ours, detail: "a process of its own for each program, back-end gvisor, cold",
		run: func(ctx context.Context, p timedProgram) (bool, error) {
			return false, execute(ctx, self, "--home", home, "run", "--quiet", "--lang", string(p.language), "--profile", p.profile(), "-c", p.source)
		},
	}}
	for _, b := range benchBackends {
		for _, warm := range []bool{false, true} {
			name := b.name + map[bool]string{false: ", cold", true: ", warm"}[warm]
			home, err := r.home(strings.ReplaceAll(name, ", ", "-"), b.isolation)
			if err != nil {
				return nil, err
			}
			s, err := r.gate(ctx, name, home, warm, b.name == "native")
			if err != nil {
				r.absent(name, err)
				continue
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// home makes a state folder with a policy for the bench: profiles data and agent,
// with time for a machine that is busy otherwise.
func (r *benchRunner) home(name, isolation string) (string, error) {
	dir := filepath.Join(r.dir, name)
	policy := "version: 1\nprofiles:\n"
	for profile, base := range map[string]string{"bench": "data", "bench-agent": "agent"} {
		policy += fmt.Sprintf("  %s:\n    extends: %s\n    limits: {wall: 2m, cpu: 2m}\n", profile, base)
		if isolation != "" {
			policy += "    " + isolation + "\n"
		}
	}
	config := fmt.Sprintf("policy: [bench.yaml]\nruntime: {python: %q}\n", r.flags.python)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return dir, errors.Join(
		os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(dir, "bench.yaml"), []byte(policy), 0o600))
}

// gate opens a gate in this process. pythonOnly says that its warm sandboxes are for
// Python.
func (r *benchRunner) gate(ctx context.Context, name, home string, warm, pythonOnly bool) (*subject, error) {
	gate, err := local.Open(ctx, local.Config{Home: home, Door: "cli", Submitter: submitter(), Warm: warm, AtOnce: slices.Max(r.flags.atOnce)})
	if err != nil {
		return nil, err
	}
	detail := "a gate that stays open; each sandbox made from nothing"
	if warm {
		detail = "a gate that stays open; sandboxes restored, or for Python forked, before they are asked for, used once"
	}
	return &subject{
		name: name, kind: bench.Ours, detail: detail, warm: warm, python: warm && pythonOnly, close: gate.Close, boxes: waitingBoxes,
		run: func(ctx context.Context, p timedProgram) (bool, error) {
			out, err := gate.Run(ctx, palisade.Submission{Profile: p.profile(), Program: palisade.Program{Language: p.language, Source: []byte(p.source)}})
			if err != nil {
				return false, err
			}
			if out.Status != palisade.OK {
				return false, fmt.Errorf("%s: %s", out.Status, strings.Join(append(out.Errors, out.Feedback.Next...), "; "))
			}
			return out.Sandbox.Layers["start"] != "cold", nil
		},
		reopen: func(ctx context.Context) (*subject, error) { return r.gate(ctx, name, home, warm, pythonOnly) },
	}, nil
}

// waitingBoxes are the first processes of the boxes below this one: sentries, and
// what a zygote has forked, which has its command line.
func waitingBoxes() (found []int) {
	tree := bench.Tree(os.Getpid())
	parents, zygotic := map[int]int{}, map[int]bool{}
	for _, p := range tree {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.Pid))
		if err != nil {
			continue
		}
		parents[p.Pid], zygotic[p.Pid] = p.Parent, bytes.Contains(line, []byte("/zygote.py\x00"))
		if bytes.HasPrefix(line, []byte("runsc-sandbox\x00")) {
			found = append(found, p.Pid)
		}
	}
	for pid, parent := range parents {
		if zygotic[pid] && zygotic[parent] && !zygotic[parents[parent]] {
			found = append(found, pid)
		}
	}
	return found
}
