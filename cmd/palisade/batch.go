package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"sync"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"palisade"
	"palisade/local"
)

// batchFlags are the flags of `palisade batch`.
type batchFlags struct {
	profile, codeField, idField, entry, expectField, promptField string
	out                                                          string
	resume                                                       bool
	parallel                                                     int
}

func newBatchCmd(e *env) *cobra.Command {
	f := batchFlags{}
	cmd := &cobra.Command{
		Use:   "batch FILE.jsonl",
		Short: "Run many programs, one JSON object a line in and one outcome a line out",
		Long: `Batch takes one program from each line of a JSONL file through the gate, each in a
sandbox of its own, and writes its outcome with the line's id. With
--expect-field, the value of the entry function is compared with that field:
numbers at a tolerance of 1e-6 (relative, or absolute below 1), everything else
exactly.

With --out the outcomes go to a file, and --resume skips the ids that are
already in it. A program whose line is not valid gets an outcome with an error.

Exit codes: 0 every program succeeded and matched, 1 the gate failed, 2 usage,
5 some program did not, 130 interrupted.`,
		Example: `  palisade batch --profile pal --entry solution --expect-field target programs.jsonl
  palisade batch --out outcomes.jsonl --resume --parallel 4 programs.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.batch(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "", "policy profile (default: config's)")
	flags.StringVar(&f.codeField, "code-field", "code", "field that holds the program")
	flags.StringVar(&f.idField, "id-field", "id", "field that identifies a program (default: the line's number)")
	flags.StringVar(&f.promptField, "prompt-field", "", "field that holds what the model was asked")
	flags.StringVar(&f.entry, "entry", "", "call this `function`; its value is the answer")
	flags.StringVar(&f.expectField, "expect-field", "", "field that holds the value to expect")
	flags.StringVarP(&f.out, "out", "o", "", "write outcomes to this `file` (default: standard output)")
	flags.BoolVar(&f.resume, "resume", false, "skip programs that --out already has an outcome for")
	flags.IntVar(&f.parallel, "parallel", runtime.NumCPU(), "how many programs run at once")
	return cmd
}

// batchOutcome is one line of output.
type batchOutcome struct {
	ID string `json:"id"`
	palisade.Outcome
	Error    string          `json:"error,omitempty"` // the line was not valid: never ran
	Expected json.RawMessage `json:"expected,omitempty"`
	Match    *bool           `json:"match,omitempty"`
}

// program is one line of input.
type program struct {
	id     string
	fields map[string]json.RawMessage
	err    error
}

func (e *env) batch(ctx context.Context, f batchFlags, path string) error {
	if f.parallel < 1 || f.parallel > 256 {
		return usage("--parallel %d: want 1 to 256", f.parallel)
	}
	programs, err := f.read(path)
	if err != nil {
		return err
	}
	sink, done, err := f.open(e)
	if err != nil {
		return err
	}
	defer sink.Close()
	gate, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer gate.Close()

	b := &batchRun{env: e, flags: f, gate: gate, out: sink, tally: map[palisade.Status]int{}}
	b.bar = e.progress(len(programs))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(f.parallel)
	for _, p := range programs {
		if done[p.id] {
			b.skipped++
			_ = b.bar.Add(1) // a bar that cannot be drawn is no failure
			continue
		}
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() error { return b.one(groupCtx, p) })
	}
	err = group.Wait()
	_ = b.bar.Finish()
	b.summary(len(programs))
	switch {
	case err != nil:
		return exit(1, "%w", err)
	case ctx.Err() != nil:
		return exit(130, "interrupted; --out FILE --resume goes on from here")
	case b.tally[palisade.OK] != b.ran || b.mismatched > 0 || b.invalid > 0:
		return exit(5, "")
	}
	return nil
}

// read parses the input; a line that is not a JSON object is kept with its
// error, so that the others run.
func (f batchFlags) read(path string) ([]program, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usage("%w", err)
	}
	defer file.Close()
	var programs []program
	seen := map[string]bool{}
	lines := bufio.NewReaderSize(file, 1<<20)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			p := program{id: strconv.Itoa(n)}
			if p.err = json.Unmarshal(text, &p.fields); p.err == nil {
				if raw, ok := p.fields[f.idField]; ok {
					p.id = plain(raw)
				}
			}
			if seen[p.id] {
				return nil, usage("%s:%d: the id %q stands there twice", path, n, p.id)
			}
			seen[p.id] = true
			programs = append(programs, p)
		}
		if errors.Is(err, io.EOF) {
			return programs, nil
		} else if err != nil {
			return nil, usage("read %s: %w", path, err)
		}
	}
}

// plain returns a JSON string's text, or any other value as it is written.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// open opens the output and reads the ids that it has.
func (f batchFlags) open(e *env) (io.WriteCloser, map[string]bool, error) {
	if f.out == "" {
		if f.resume {
			return nil, nil, usage("--resume needs --out FILE")
		}
		return nopCloser{e.stdout}, nil, nil
	}
	mode := os.O_CREATE | os.O_RDWR | os.O_EXCL
	if f.resume {
		mode = os.O_CREATE | os.O_RDWR
	}
	file, err := os.OpenFile(f.out, mode, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, nil, usage("%s exists: --resume goes on with it", f.out)
	} else if err != nil {
		return nil, nil, usage("%w", err)
	}
	done, end, err := doneIDs(file)
	if err == nil {
		err = file.Truncate(end) // a line torn by a kill is run again
	}
	if err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, nil, usage("read %s: %w", f.out, err)
	}
	return file, done, nil
}

// doneIDs returns the ids of the whole lines of file, and where they end.
func doneIDs(file io.Reader) (map[string]bool, int64, error) {
	done := map[string]bool{}
	var end int64
	for r := bufio.NewReaderSize(file, 1<<20); ; {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return done, end, nil
		} else if err != nil {
			return nil, 0, err
		}
		var have struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(line, &have); err != nil {
			return nil, 0, err
		}
		done[have.ID] = true
		end += int64(len(line))
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// progress draws a bar on a terminal only.
func (e *env) progress(total int) *progressbar.ProgressBar {
	w := io.Discard
	if isTerminal(e.stderr) {
		w = e.stderr
	}
	return progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(), progressbar.OptionSetItsString("programs"), progressbar.OptionClearOnFinish())
}

// batchRun is a batch on its way.
type batchRun struct {
	env   *env
	flags batchFlags
	gate  *local.Gate
	bar   *progressbar.ProgressBar

	mu                                         sync.Mutex
	out                                        io.Writer
	tally                                      map[palisade.Status]int
	ran, skipped, invalid, matched, mismatched int
}

// one takes one program through the gate. Only the gate's own failure, or an
// output that cannot be written, ends the batch.
func (b *batchRun) one(ctx context.Context, p program) error {
	if ctx.Err() != nil {
		return nil
	}
	line := batchOutcome{ID: p.id}
	s, err := b.flags.submission(p)
	if err == nil {
		line.Outcome, err = b.gate.Run(ctx, s)
	}
	if invalid, ok := errors.AsType[*palisade.InputError](err); ok {
		line.Error = invalid.Error()
	} else if err != nil {
		return fmt.Errorf("program %s: %w", p.id, err)
	}
	if line.Status == palisade.Interrupted {
		return nil // not an outcome of the program's: a resumed batch runs it again
	}
	if b.flags.expectField != "" && line.Error == "" {
		line.Expected = p.fields[b.flags.expectField]
		match := sameValue(line.Value, line.Expected)
		line.Match = &match
	}
	return b.write(line)
}

func (f batchFlags) submission(p program) (palisade.Submission, error) {
	s := palisade.Submission{Submitter: submitter(), Profile: f.profile}
	s.Program = palisade.Program{Language: palisade.Python, Name: "program.py", Entry: f.entry}
	if p.err != nil {
		return s, &palisade.InputError{Reason: "not a JSON object: " + p.err.Error()}
	}
	var code string
	if err := json.Unmarshal(p.fields[f.codeField], &code); err != nil {
		return s, &palisade.InputError{Reason: fmt.Sprintf("field %q holds no program (a string)", f.codeField)}
	}
	s.Program.Source = []byte(code)
	if f.promptField != "" {
		s.Prompt = plain(p.fields[f.promptField])
	}
	return s, nil
}

// write puts one line out and counts it.
func (b *batchRun) write(line batchOutcome) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ran++
	if line.Error != "" {
		b.invalid++
	} else {
		b.tally[line.Status]++
	}
	if line.Match != nil && *line.Match {
		b.matched++
	} else if line.Match != nil {
		b.mismatched++
	}
	_ = b.bar.Add(1) // a bar that cannot be drawn is no failure
	if err := writeJSON(b.out, line); err != nil {
		return fmt.Errorf("write outcome of %s: %w", line.ID, err)
	}
	return nil
}
