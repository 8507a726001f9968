package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"palisade/internal/bench"
)

// benchRunFlags are the flags of `palisade bench run`.
type benchRunFlags struct {
	benchFlags
	seconds       time.Duration
	clients       string
	peers         bool
	image         string
	programs      string
	svg, markdown string

	atOnce []int
	chosen []timedProgram
}

func newBenchRunCmd(e *env) *cobra.Command {
	var f benchRunFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Runs in every kind of sandbox that is here, against the interpreter with none",
		Long: `The baseline is "python3 -I -c PROGRAM" ("bash -c", "node -e"), started and ended
with no sandbox at all. In each round every subject runs every program once, so
that what else the machine does meets all of them. Everything of ours is real:
each program is read, judged, put on the record, which is synced, and run in a
sandbox of its own.

  palisade run         a process of its own for each program
  gvisor, native       a gate that stays open, by back-end: cold makes each
                       sandbox from nothing, warm takes one that is ready

Then so many clients as --clients says run one program after the other, for
--seconds each, and what sandboxes hold that wait for a job is measured.

With --peers, other sandboxes that are installed here run the same programs, each
with strict settings: bwrap, firejail, podman, docker, runsc. Containers run
--image, which must be on this machine: nothing is fetched. What could not be
measured is told, with the reason.`,
		Example: `  palisade bench run
  palisade bench run --rounds 30 --peers --format json
  palisade bench run --peers --markdown docs/performance.md --svg docs/performance.svg`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return e.benchRun(cmd.Context(), f)
		},
	}
	f.register(cmd, 15)
	flags := cmd.Flags()
	flags.DurationVar(&f.seconds, "seconds", 3*time.Second, "how `long` each throughput is measured; 0: not at all")
	flags.StringVar(&f.clients, "clients", "1,2,8", "how many run at once, a `list`")
	flags.BoolVar(&f.peers, "peers", false, "measure other sandboxes that are installed, too")
	flags.StringVar(&f.image, "image", "python:3-slim", "the container `image` for podman and docker, with python3 in it")
	flags.StringVar(&f.programs, "programs", "", "only these, a `list` of "+strings.Join(programNames(), ", "))
	flags.StringVar(&f.svg, "svg", "", "draw the latencies into this `file`")
	flags.StringVar(&f.markdown, "markdown", "", "write the report as a page into this `file`")
	return cmd
}

func (f *benchRunFlags) check() error {
	if err := f.benchFlags.check(); err != nil {
		return err
	}
	if f.seconds < 0 || f.seconds > time.Hour {
		return usage("--seconds %v: want 0 to 1h", f.seconds)
	}
	for text := range strings.SplitSeq(f.clients, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > 256 {
			return usage("--clients %s: want numbers from 1 to 256, such as 1,2,8", f.clients)
		}
		f.atOnce = append(f.atOnce, n)
	}
	f.chosen = benchPrograms()
	if f.programs == "" {
		return nil
	}
	wanted := strings.Split(f.programs, ",")
	for _, name := range wanted {
		if !slices.Contains(programNames(), name) {
			return usage("--programs %s: %q is none of %s", f.programs, name, strings.Join(programNames(), ", "))
		}
	}
	f.chosen = slices.DeleteFunc(f.chosen, func(p timedProgram) bool { return !slices.Contains(wanted, p.Name) })
	return nil
}

// benchRun measures, and tells what it found even where it was interrupted.
func (e *env) benchRun(ctx context.Context, f benchRunFlags) error {
	dir, err := os.MkdirTemp("", "palisade-bench-")
	if err != nil {
		return exit(1, "%w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r := &benchRunner{env: e, flags: f, dir: dir, report: &bench.Report{
		Date: time.Now(), Machine: bench.ThisMachine(), Version: "palisade " + e.version, Rounds: f.rounds, Seconds: f.seconds.Seconds(),
		Command: f.command(), LoadBefore: bench.LoadAverage(),
	}}
	defer r.close()
	if err := r.prepare(ctx); err != nil {
		return exit(1, "%w", err)
	}
	r.measureLatency(ctx)
	r.measureLoad(ctx)
	r.measureParked(ctx)
	r.report.LoadAverage = bench.LoadAverage()
	if err := r.tell(); err != nil {
		return exit(1, "%w", err)
	}
	if ctx.Err() != nil {
		return exit(130, "interrupted: the figures are of what was measured until then")
	}
	return nil
}

// command is the command line, without the machine's paths.
func (f benchRunFlags) command() string {
	text := fmt.Sprintf("palisade bench run --rounds %d --seconds %v", f.rounds, f.seconds)
	if f.peers {
		text += " --peers"
	}
	if f.markdown != "" {
		text += " --markdown " + filepath.Base(f.markdown)
	}
	return text
}

// benchRunner is a bench on its way.
type benchRunner struct {
	env      *env
	flags    benchRunFlags
	dir      string
	report   *bench.Report
	subjects []*subject
}

// absent notes what is not measured, and why.
func (r *benchRunner) absent(what string, why error) {
	r.report.Absent = append(r.report.Absent, bench.Absent{Subject: what, Why: firstLine(why)})
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return brief(line)
}

// prepare finds the programs whose interpreter is here, and the subjects.
func (r *benchRunner) prepare(ctx context.Context) error {
	bare := bareSubject(r.flags)
	var programs []timedProgram
	for _, p := range r.flags.chosen {
		if _, err := bare.run(ctx, p); err != nil {
			r.absent(p.Name, err)
			continue
		}
		programs = append(programs, p)
		r.report.Programs = append(r.report.Programs, bench.Program{Name: p.Name, Baseline: p.command(r.flags), Source: p.source})
	}
	if len(programs) == 0 {
		return fmt.Errorf("no interpreter: %s", r.report.Absent[0].Why)
	}
	r.flags.chosen = programs
	r.subjects = []*subject{bare}
	ours, err := r.ourSubjects(ctx)
	if err != nil {
		return err
	}
	r.subjects = append(r.subjects, ours...)
	if r.flags.peers {
		r.subjects = append(r.subjects, peerSubjects(ctx, r.flags, r.absent)...)
	}
	r.subjects = slices.DeleteFunc(r.subjects, func(s *subject) bool { return !r.try(ctx, s) })
	return nil
}

// try runs each program of a subject's once, so that nothing is measured that is
// only done the first time. What does not run is told; a subject that does not
// run its first is none.
func (r *benchRunner) try(ctx context.Context, s *subject) bool {
	runs := false
	for _, p := range r.flags.chosen {
		if !s.takes(p) || ctx.Err() != nil {
			continue
		}
		r.env.saying("trying %s: %s", s.name, p.Name)
		err := s.ready(ctx, p)
		switch {
		case err == nil:
			runs = true
		case runs:
			r.absent(s.name+": "+p.Name, err)
			s.cannot = append(s.cannot, p.Name)
		default:
			r.absent(s.name, err)
			if s.close != nil {
				_ = s.close() // it did nothing
			}
			return false
		}
	}
	return runs
}

// saying tells of progress on a terminal.
func (e *env) saying(format string, args ...any) {
	if isTerminal(e.stderr) {
		fmt.Fprintf(e.stderr, "\r\x1b[K"+format, args...)
	}
}

func (r *benchRunner) close() {
	for _, s := range r.subjects {
		if s.close == nil {
			continue
		}
		if err := s.close(); err != nil {
			fmt.Fprintf(r.env.stderr, "palisade: bench: close %s: %v\n", s.name, err)
		}
	}
}
