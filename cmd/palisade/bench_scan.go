package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/python"
	"palisade/internal/rules"
)

// banditScript times bandit and ast.parse over the files that it is given.
//
//go:embed bench_scan.py
var banditScript string

// readingBound is what the reading of any program of 256 KiB may take, in
// milliseconds; the rules' tests hold hostile programs to it.
const readingBound = 2000

func newBenchScanCmd(e *env) *cobra.Command {
	var f benchFlags
	var folder string
	var sample int
	cmd := &cobra.Command{
		Use:   "scan",
		Short: "Reading with all rules against bandit per file, and CPython's ast.parse per MB",
		Example: `  palisade bench scan
  palisade bench scan --corpora ../shared/corpora --sample 400 --format json`,
		Long: `Ours is what the gate does with each file to find what it could do: normalize,
parse, read the tree with all rules, give findings; on one core. Everything is processor time, so that
others on the machine do not count. Bandit runs in a process of its own
that has imported it before (Debian: apt-get install bandit), over the same files.
The rules over the tree are also measured alone, per MB, beside the interpreter's
ast.parse over the same files; so are, in rows of their own, the pattern rules that
ship (YAML), and the gate's whole reading without these: with credentials,
look-alike names, the score and the tree's digest.

The decisions of the timed readings are counted, and must be those of the gate.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if sample < 1 {
				return usage("--sample %d: want 1 or more", sample)
			}
			return e.benchScan(cmd.Context(), f, folder, sample)
		},
	}
	f.register(cmd, 3)
	cmd.Flags().StringVar(&folder, "corpora", "../shared/corpora", "folder of benign programs (pal, humaneval, mbpp)")
	cmd.Flags().IntVar(&sample, "sample", 200, "files of the interpreter's library that bandit reads; ours reads all")
	return cmd
}

// baseline is a process that waits to time bandit or ast.parse.
type baseline struct {
	*lineProcess
	Bandit *string `json:"bandit"`
}

// seconds is how long the baseline takes for files.
func (b *baseline) seconds(what string, files []scanFile) (float64, error) {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	var answer struct {
		Seconds float64 `json:"seconds"`
	}
	err := b.ask(map[string]any{"what": what, "paths": paths}, &answer)
	return answer.Seconds, err
}

func (e *env) benchScan(ctx context.Context, f benchFlags, folder string, sample int) error {
	process, err := startLineProcess(ctx, f.python, "-I", "-c", banditScript)
	if err != nil {
		return exit(1, "start %s: %w", f.python, err)
	}
	defer process.close()
	base := &baseline{lineProcess: process}
	if err := process.answer(base); err != nil {
		return exit(1, "%w", err)
	}
	if base.Bandit == nil {
		return exit(2, "%s has no bandit: on Debian, apt-get install --no-install-recommends bandit", f.python)
	}
	dir, err := os.MkdirTemp("", "palisade-bench-")
	if err != nil {
		return exit(1, "%w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sets, err := e.scanSets(ctx, f.python, folder, dir)
	if err != nil {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := scanMeter{base: base, rounds: f.rounds, sample: sample}
	var figures []figure
	for _, set := range sets {
		more, err := m.measure(ctx, set)
		if err != nil {
			return err
		}
		figures = append(figures, more...)
	}
	fmt.Fprintf(e.stderr, "palisade: bandit %s reads every file of the corpora and %d of the library's\n", *base.Bandit, sample)
	return e.report(f, figures)
}

// scanMeter measures sets of files.
type scanMeter struct {
	base           *baseline
	rounds, sample int
}

func (m scanMeter) measure(ctx context.Context, set scanSet) ([]figure, error) {
	compared := set
	if set.profile == "" {
		compared.files = spread(set.files, m.sample)
	}
	var ours, bandit, tree, all, parse []float64
	slowest, worst := "", time.Duration(0)
	for range m.rounds {
		theirs, err := m.base.seconds("bandit", compared.files)
		if err != nil {
			return nil, exit(1, "bandit: %w", err)
		}
		bandit = append(bandit, float64(len(compared.files))/theirs)
		ours = append(ours, float64(len(compared.files))/compared.read().Seconds())
		all = append(all, set.megabytes()/set.read().Seconds())
		var inTree time.Duration
		for i := range set.files {
			took, alone := set.files[i].readAlone()
			inTree += alone
			if took > worst {
				slowest, worst = filepath.Base(set.files[i].path), took
			}
		}
		tree = append(tree, set.megabytes()/inTree.Seconds())
		if theirs, err = m.base.seconds("parse", set.files); err != nil {
			return nil, exit(1, "ast.parse: %w", err)
		}
		parse = append(parse, set.megabytes()/theirs)
	}
	row := func(name, unit string, value, base []float64, of string) figure {
		v, b := median(value), median(base)
		return figure{Name: set.name + ": " + name, Value: v, Unit: unit, Baseline: of, Base: b, Ratio: v / b, Rounds: len(value)}
	}
	ms := float64(worst.Microseconds()) / 1000
	figures := []figure{
		row(fmt.Sprintf("files read, %d of %d", len(compared.files), len(set.files)), "files/s", ours, bandit, "bandit "+*m.base.Bandit),
		row(fmt.Sprintf("rules over the tree, %.1f MB", set.megabytes()), "MB/s", tree, parse, "ast.parse"),
		row("parse and rules", "MB/s", all, parse, "ast.parse"),
		{Name: set.name + ": slowest file, " + slowest, Value: ms, Unit: "ms", Baseline: "bound", Base: readingBound, Ratio: ms / readingBound, Rounds: m.rounds},
	}
	for _, part := range []struct {
		name string
		time func(context.Context) (time.Duration, error)
	}{{"pattern rules", compared.patterns}, {"whole reading", compared.inspect}} {
		took, err := part.time(ctx)
		if err != nil {
			return nil, err
		}
		figures = append(figures, row(part.name, "MB/s", []float64{compared.megabytes() / took.Seconds()}, parse, "ast.parse"))
	}
	decided, err := set.decide(ctx)
	if err != nil {
		return nil, err
	}
	return append(figures, decided), nil
}

// spread takes n files, evenly.
func spread(files []scanFile, n int) []scanFile {
	if n >= len(files) {
		return files
	}
	out := make([]scanFile, n)
	for i := range out {
		out[i] = files[i*len(files)/n]
	}
	return out
}

// shortest is how long a measurement takes at least: a pass over small files is
// shorter than a collection of garbage, which falls into one and not into another.
const shortest = 500 * time.Millisecond

// read reads all files with all rules, as often as it takes, and says how long
// once took. The clock is read once a pass: for each file that took a tenth of
// a small file's time.
func (s scanSet) read() time.Duration {
	start := processorTime()
	for passes := time.Duration(1); ; passes++ {
		for i := range s.files {
			f := &s.files[i]
			if tree, ok := f.parse(); ok {
				f.findings = f.rules(tree)
			}
		}
		if took := processorTime() - start; took >= shortest {
			return took / passes
		}
	}
}

// readAlone reads one file and says how long that took, and the rules over the
// tree alone.
func (f *scanFile) readAlone() (all, tree time.Duration) {
	start := processorTime()
	parsed, ok := f.parse()
	if !ok {
		return processorTime() - start, 0
	}
	before := processorTime()
	f.findings = f.rules(parsed)
	end := processorTime()
	return end - start, end - before
}

// parse gives a file's tree, if it has one.
func (f *scanFile) parse() (*python.Module, bool) {
	source, err := python.Normalize(f.source)
	if err != nil {
		return nil, false
	}
	tree, err := python.Parse(source, python.Options{Version: f.version, MaxBytes: maxCode})
	return tree, err == nil
}

// rules gives the findings of all rules in a tree.
func (f *scanFile) rules(tree *python.Module) []palisade.Finding {
	return rules.Inspector{Version: f.version}.ReadTree(f.path, f.entry, tree)
}

// processorTime is what this process has used so far: what others on the
// machine use does not count.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no way to fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (s scanSet) megabytes() float64 {
	n := 0
	for _, f := range s.files {
		n += len(f.source)
	}
	return float64(n) / 1e6
}
