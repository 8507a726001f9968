package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"palisade"
	"palisade/internal/jsontext"
	"palisade/local"
)

// batchFlags are the flags of `palisade batch`.
type batchFlags struct {
	profile, lang, codeField, idField, entry, expectField, promptField string
	out                                                                string
	resume, deterministic                                              bool
	parallel                                                           int
	cold                                                               bool
}

func newBatchCmd(e *env) *cobra.Command {
	f := batchFlags{}
	cmd := &cobra.Command{
		Use:   "batch FILE.jsonl | -",
		Short: "Run many programs, one JSON object a line in and one outcome a line out",
		Long: `Batch takes one program from each line of a JSONL file through the gate, each in a
sandbox of its own, and writes its outcome with the line's id. Sandboxes are
restored from one that was started, for Python with its modules loaded; --cold
starts each from nothing. With --expect-field, the value of the entry function is compared with that field:
numbers at a tolerance of 1e-6 (relative, or absolute below 1), everything else
exactly.

With --out the outcomes go to a file, and --resume skips the ids that are
already in it; they count in the exit code. Ids must differ. The input is read
whole before the first program runs. A program whose line is not valid gets an outcome of status refused
with an error.

Exit codes: 0 every program succeeded and matched, 1 the gate failed, 2 usage,
5 some program did not, 130 interrupted.`,
		Example: `  palisade batch --profile pal --entry solution --expect-field target programs.jsonl
  palisade batch --out outcomes.jsonl --resume --parallel 4 programs.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.batch(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "", "policy profile (default: config's)")
	flags.StringVar(&f.lang, "lang", "", "language of the programs (default: by a program's first line, else python)")
	flags.StringVar(&f.codeField, "code-field", "code", "field that holds the program")
	flags.StringVar(&f.idField, "id-field", "id", "field that identifies a program (default: the line's number)")
	flags.StringVar(&f.promptField, "prompt-field", "", "field that holds what the model was asked")
	flags.StringVar(&f.entry, "entry", "", "call this `function`; its value is the answer")
	flags.StringVar(&f.expectField, "expect-field", "", "field that holds the value to expect")
	flags.StringVarP(&f.out, "out", "o", "", "write outcomes to this `file` (default: standard output)")
	flags.BoolVar(&f.resume, "resume", false, "skip programs that --out already has an outcome for")
	flags.BoolVar(&f.cold, "cold", false, "start every sandbox from nothing, instead of restoring it from one that was just started")
	flags.BoolVar(&f.deterministic, "deterministic", false, "give the same bytes each time: fixed seeds, clock, time zone, locale and threads")
	flags.IntVar(&f.parallel, "parallel", runtime.NumCPU(), "how many programs run at once")
	return cmd
}

// batchOutcome is one line of output. A line that was not valid has the status
// refused, an error, and no run.
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
	if err := checkLanguage(f.lang); err != nil {
		return err
	}
	programs, err := await(ctx, func() ([]program, error) { return f.read(e, path) })
	if err != nil {
		return err
	}
	if err := f.expects(programs); err != nil {
		return err
	}
	sink, done, err := f.open(e)
	if err != nil {
		return err
	}
	defer sink.Close()
	c := e.local()
	c.Warm, c.AtOnce = !f.cold, f.parallel
	gate, err := e.openWith(ctx, c)
	if err != nil {
		return err
	}
	defer gate.Close()

	b := &batchRun{env: e, flags: f, gate: gate, out: sink, tally: map[palisade.Status]int{}}
	b.bar = e.progress(len(programs))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(f.parallel)
	for _, p := range programs {
		if well, there := done[p.id]; there {
			b.skipped++
			if !well {
				b.failedBefore++
			}
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
	case b.tally[palisade.OK] != b.ran || b.mismatched > 0 || b.invalid > 0 || b.failedBefore > 0:
		return exit(5, "")
	}
	return nil
}

// expects refuses a field of expected values that no program has: a mistyped
// name would cost the whole batch.
func (f batchFlags) expects(programs []program) error {
	if f.expectField == "" || len(programs) == 0 {
		return nil
	}
	for _, p := range programs {
		if _, there := p.fields[f.expectField]; there {
			return nil
		}
	}
	return usage("--expect-field %s: no line has that field", f.expectField)
}

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
	failedBefore                               int // of those skipped
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
		line = batchOutcome{ID: p.id, Error: invalid.Error()}
		line.Status, line.Blocked = palisade.Refused, true
		line.Complete()
	} else if err != nil {
		return fmt.Errorf("program %s: %w", p.id, err)
	}
	if line.Status == palisade.Interrupted {
		return nil // not an outcome of the program's: a resumed batch runs it again
	}
	if line.Status == palisade.Refused || line.Status == palisade.Killed {
		if s, _ := b.gate.Incident().State(); s.Lockdown.On {
			return fmt.Errorf("lockdown%s; once it is lifted, --out FILE --resume goes on from here", s.Lockdown)
		}
	}
	if b.flags.expectField != "" && line.Error == "" {
		line.Expected = p.fields[b.flags.expectField]
		match := sameValue(line.Value, line.Expected)
		line.Match = &match
	}
	return b.write(line)
}

func (f batchFlags) submission(p program) (palisade.Submission, error) {
	s := palisade.Submission{Submitter: submitter(), Profile: f.profile, Deterministic: f.deterministic}
	s.Program = palisade.Program{Entry: f.entry}
	if p.err != nil {
		return s, &palisade.InputError{Reason: "not a JSON object: " + p.err.Error()}
	}
	var code string
	raw, ok := p.fields[f.codeField]
	if !ok {
		return s, &palisade.InputError{Reason: fmt.Sprintf("field %q is not there (--code-field names the one that holds the program)", f.codeField)}
	}
	if err := json.Unmarshal(raw, &code); err != nil {
		return s, &palisade.InputError{Reason: fmt.Sprintf("field %q holds no program (a string)", f.codeField)}
	}
	if jsontext.LoneSurrogate(raw) {
		return s, &palisade.InputError{Reason: fmt.Sprintf("field %q holds half of a surrogate pair, which no UTF-8 text can", f.codeField)}
	}
	s.Program.Source = []byte(code)
	s.Program.Language = languageOf(f.lang, "", s.Program.Source)
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
