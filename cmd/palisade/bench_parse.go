package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"palisade/internal/python"
)

// astParseScript times CPython's ast.parse over the files that it is given.
//
//go:embed bench_parse.py
var astParseScript string

func newBenchParseCmd(e *env) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "parse [FOLDER]",
		Short: "Our parser against CPython's ast.parse on the same files",
		Example: `  palisade bench parse
  palisade bench parse --format json /usr/lib/python3.11`,
		Long: `Both read the files into memory first and then parse those that both accept; only
the parsing is timed. The default folder is the interpreter's own library.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			folder := ""
			if len(args) == 1 {
				folder = args[0]
			}
			return e.benchParse(cmd.Context(), f, folder)
		},
	}
	f.register(cmd, 5)
	return cmd
}

// astParser is CPython, waiting to time ast.parse.
type astParser struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	Version string   `json:"version"`
	Files   []string `json:"files"` // those that it accepts
}

func startASTParser(ctx context.Context, interpreter, folder string) (*astParser, error) {
	p := &astParser{cmd: exec.CommandContext(ctx, interpreter, "-I", "-S", "-c", astParseScript, folder)}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	return p, p.answer(p)
}

// answer reads one line of JSON.
func (p *astParser) answer(v any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the interpreter did not answer: %w", err)
	}
	return json.Unmarshal(line, v)
}

// ask sends a request and reads its answer.
func (p *astParser) ask(request, answer any) error {
	if err := writeJSON(p.in, request); err != nil {
		return err
	}
	return p.answer(answer)
}

func (e *env) benchParse(ctx context.Context, f benchFlags, folder string) error {
	cpython, err := startASTParser(ctx, f.python, folder)
	if err != nil {
		return exit(1, "start %s: %w", f.python, err)
	}
	defer func() {
		cpython.in.Close()
		_ = cpython.cmd.Wait() // it ends when its input does
	}()
	version, err := pythonVersion(cpython.Version)
	if err != nil {
		return err
	}
	options := python.Options{Version: version, MaxBytes: maxCode}
	sources := map[string][]byte{}
	var both []string
	var size int64
	for _, path := range cpython.Files {
		data, err := os.ReadFile(filepath.Clean(path))
		if err != nil {
			return exit(2, "%w", err)
		}
		if data, err = python.Normalize(data); err != nil {
			continue
		}
		if _, err := python.Parse(data, options); err == nil {
			both = append(both, path)
			sources[path] = data
			size += int64(len(data))
		}
	}
	if len(both) == 0 {
		return exit(2, "no file that both accept")
	}
	var ours, theirs, ratios []float64
	for range f.rounds {
		var answer struct {
			Seconds float64 `json:"seconds"`
		}
		if err := cpython.ask(both, &answer); err != nil {
			return exit(1, "%w", err)
		}
		start := time.Now()
		for _, path := range both {
			if _, err := python.Parse(sources[path], options); err != nil {
				return exit(1, "%s: %w", path, err)
			}
		}
		seconds := time.Since(start).Seconds()
		mb := float64(size) / 1e6
		ours, theirs = append(ours, mb/seconds), append(theirs, mb/answer.Seconds)
		ratios = append(ratios, answer.Seconds/seconds)
	}
	fmt.Fprintf(e.stderr, "palisade: %d files, %.1f MB; the interpreter accepts %d\n", len(both), float64(size)/1e6, len(cpython.Files))
	return e.report(f, []figure{{
		Name: "parse", Value: median(ours), Unit: "MB/s", Baseline: "CPython " + cpython.Version + " ast.parse",
		Base: median(theirs), Ratio: median(ratios), Rounds: f.rounds,
	}})
}
