package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	*lineProcess
	Version string   `json:"version"`
	Files   []string `json:"files"` // those that it accepts
}

func startASTParser(ctx context.Context, interpreter, folder string) (*astParser, error) {
	process, err := startLineProcess(ctx, interpreter, "-I", "-S", "-c", astParseScript, folder)
	if err != nil {
		return nil, err
	}
	p := &astParser{lineProcess: process}
	return p, p.answer(p)
}

// lineProcess is a process that answers each line of JSON with one.
type lineProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startLineProcess(ctx context.Context, name string, args ...string) (*lineProcess, error) {
	p := &lineProcess{cmd: exec.CommandContext(ctx, name, args...)}
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
	return p, p.cmd.Start()
}

// answer reads one line of JSON.
func (p *lineProcess) answer(v any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the interpreter did not answer: %w", err)
	}
	return json.Unmarshal(line, v)
}

// ask sends a request and reads its answer.
func (p *lineProcess) ask(request, answer any) error {
	if err := writeJSON(p.in, request); err != nil {
		return err
	}
	return p.answer(answer)
}

// close ends the process: it ends when its input does.
func (p *lineProcess) close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// bothAccept returns the sources of those files that we accept as well, each
// normalized, by their paths.
func bothAccept(paths []string, version python.Version) (map[string][]byte, error) {
	sources := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(filepath.Clean(path))
		if err != nil {
			return nil, exit(2, "%w", err)
		}
		if data, err = python.Normalize(data); err != nil {
			continue
		}
		if _, err := python.Parse(data, python.Options{Version: version, MaxBytes: maxCode}); err == nil {
			sources[path] = data
		}
	}
	if len(sources) == 0 {
		return nil, exit(2, "no file that both accept")
	}
	return sources, nil
}

func (e *env) benchParse(ctx context.Context, f benchFlags, folder string) error {
	cpython, err := startASTParser(ctx, f.python, folder)
	if err != nil {
		return exit(1, "start %s: %w", f.python, err)
	}
	defer cpython.close()
	version, err := pythonVersion(cpython.Version)
	if err != nil {
		return err
	}
	options := python.Options{Version: version, MaxBytes: maxCode}
	sources, err := bothAccept(cpython.Files, version)
	if err != nil {
		return err
	}
	both := slices.Sorted(maps.Keys(sources))
	var size int64
	for _, data := range sources {
		size += int64(len(data))
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
