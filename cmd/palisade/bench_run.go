package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func newBenchRunCmd(e *env) *cobra.Command {
	var f benchFlags
	var programs int
	cmd := &cobra.Command{
		Use:   "run",
		Short: "A cold run, and a program inside a batch, against starting Python with no sandbox",
		Example: `  palisade bench run
  palisade bench run --rounds 30 --format json`,
		Long: `The baseline is the time of "python3 -I -c pass", started and ended, with no
sandbox at all. A cold run is one "palisade run" process from start to end; a
program of a batch is the batch's time divided by its programs. Everything is
real: the record is written and synced, each program has a sandbox of its own.
The state goes to a temporary folder.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if programs < 1 || programs > 100000 {
				return usage("--programs %d: want 1 to 100000", programs)
			}
			return e.benchRun(cmd.Context(), f, programs)
		},
	}
	f.register(cmd, 20)
	cmd.Flags().IntVar(&programs, "programs", 60, "how many programs the batch has")
	return cmd
}

func (e *env) benchRun(ctx context.Context, f benchFlags, programs int) error {
	self, err := os.Executable()
	if err != nil {
		return exit(1, "%w", err)
	}
	dir, err := os.MkdirTemp("", "palisade-bench-")
	if err != nil {
		return exit(1, "%w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	list := filepath.Join(dir, "programs.jsonl")
	line, err := json.Marshal(map[string]string{"code": "pass"})
	if err != nil {
		return err
	}
	if err := os.WriteFile(list, []byte(strings.Repeat(string(line)+"\n", programs)), 0o600); err != nil {
		return exit(1, "%w", err)
	}
	home := filepath.Join(dir, "home")
	bare := func() (float64, error) { return timed(ctx, f.python, "-I", "-c", "pass") }
	one := func() (float64, error) {
		return timed(ctx, self, "--home", home, "run", "--quiet", "--profile", "pal", "-c", "pass")
	}
	batch := func() (float64, error) {
		ms, err := timed(ctx, self, "--home", home, "batch", "--profile", "pal", list)
		return ms / float64(programs), err
	}
	var base, cold, each []float64
	for i := range f.rounds {
		steps := []step{{bare, &base}, {one, &cold}}
		if i%max(1, f.rounds/3) == 0 {
			steps = append(steps, step{bare, &base}, step{batch, &each})
		}
		for _, s := range steps {
			ms, err := s.run()
			if err != nil {
				return exit(1, "%w", err)
			}
			*s.into = append(*s.into, ms)
		}
	}
	python := median(base)
	return e.report(f, []figure{
		{"cold run", median(cold), "ms", "python3 -I -c pass", python, median(cold) / python, len(cold)},
		{"program in a batch", median(each), "ms", "python3 -I -c pass", python, median(each) / python, len(each)},
	})
}

// step is one measurement and where it goes.
type step struct {
	run  func() (float64, error)
	into *[]float64
}

// timed runs a command to its end and returns the milliseconds that it took.
func timed(ctx context.Context, name string, args ...string) (float64, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return float64(time.Since(start).Microseconds()) / 1000, nil
}
