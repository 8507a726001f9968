package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/redact"
	"palisade/internal/sandbox"
	"palisade/local"
)

// runFlags are the flags of `palisade run`.
type runFlags struct {
	submission submissionFlags
	out        string
	overwrite  bool
	json       bool
	wait       time.Duration
	quiet      bool
	warm       bool
}

func newRunCmd(e *env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [FILE | - | -c CODE]",
		Short: "Read, judge and run one program in a fresh sandbox",
		Long: `Run takes one program through the gate: it is read, judged by policy, run in a
fresh sandbox if policy or a human allows it, and answered. The program's output
streams to standard output and standard error; the last line, on standard error,
is the verdict.

With --warm the submission goes to a resident gate of the same user (palisade
resident), which judges, runs and records it in a sandbox that it has ready. If
none runs, nothing does.

Exit codes: 0 ran and succeeded, 1 the gate or the sandbox failed, 2 usage or
invalid input (never ran), 3 denied or aborted by policy, 4 waits for a human,
5 the program failed, 124 time limit, 130 interrupted, 137 killed or memory limit.`,
		Example: `  palisade run program.py
  echo 'print(6 * 7)' | palisade run -
  palisade run --profile pal -c 'print(sum(range(10)))'
  palisade run --entry area --arg width=3 --arg height=4.5 shapes.py
  palisade run --file data.csv --out results/ analyse.py
  palisade run --warm --profile pal -c 'print(6 * 7)'
  palisade run --module helper=helper.py --prompt-file asked.txt main.py --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, f, args) },
	}
	f.submission.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "write the files that the program leaves in its working directory into this `folder`")
	flags.BoolVar(&f.overwrite, "overwrite", false, "let --out replace files that are there")
	flags.BoolVar(&f.json, "json", false, "print the outcome as JSON instead of streaming")
	flags.DurationVar(&f.wait, "wait", 0, "if a human must approve, how much `time` to wait for the answer")
	flags.BoolVar(&f.warm, "warm", false, "hand the program to the gate that palisade resident keeps running, which has sandboxes ready")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "do not print the verdict")
	return cmd
}

func (e *env) run(cmd *cobra.Command, f runFlags, args []string) error {
	f.submission.inline = cmd.Flags().Changed("code")
	s, err := f.submission.build(cmd.Context(), e, args)
	if err != nil {
		return err
	}
	if err := f.checkOut(); err != nil {
		return err
	}
	stdout, stderr := &live{w: e.stdout}, &live{w: e.stderr}
	if !f.json {
		s.Live = palisade.Live{Stdout: stdout, Stderr: stderr}
	}
	out, err := e.answer(cmd.Context(), f, s)
	if err != nil {
		return err
	}
	if err := e.show(f, out); err != nil {
		return exit(1, "run %s: write the outcome: %w", out.Run, err)
	}
	if f.out != "" && len(out.Artifacts) > 0 {
		err := sandbox.WriteArtifacts(f.out, out.Artifacts, f.overwrite)
		if errors.Is(err, os.ErrExist) {
			return exit(1, "run %s: the program ran, but its files could not be written: %w (--overwrite replaces files)", out.Run, err)
		} else if err != nil {
			return exit(1, "run %s: the program ran, but its files could not be written: %w", out.Run, err)
		}
	}
	if err := cmp.Or(stdout.err, stderr.err); err != nil && !errors.Is(err, syscall.EPIPE) {
		return exit(1, "run %s: the program ran, but its output could not be written: %w", out.Run, err)
	}
	return exit(exitCode(out), "")
}

// checkOut makes the folder for files, before anything runs.
func (f runFlags) checkOut() error {
	if f.out == "" {
		return nil
	}
	if err := os.MkdirAll(f.out, 0o700); err != nil {
		return usage("--out: %w", err)
	}
	return nil
}

// live passes output on and keeps the first error: the run goes on without it.
type live struct {
	w   io.Writer
	err error
}

func (l *live) Write(b []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.w.Write(b)
	l.err = err
	return n, err
}

// open wires a gate for the command line.
func (e *env) open(ctx context.Context) (*local.Gate, error) { return e.openWith(ctx, e.local()) }

func (e *env) openWith(ctx context.Context, c local.Config) (*local.Gate, error) {
	gate, err := local.Open(ctx, c)
	switch {
	case err == nil:
		return gate, nil
	case ctx.Err() != nil:
		return nil, exit(130, "interrupted")
	default:
		return nil, exit(1, "%w", err)
	}
}

// answer takes the submission through a gate of this process, or the resident one.
func (e *env) answer(ctx context.Context, f runFlags, s palisade.Submission) (palisade.Outcome, error) {
	notice := func(text string) { fmt.Fprintf(e.stderr, "palisade: %s\n", redact.EscapeLine(text)) }
	if f.warm {
		return e.askResident(ctx, s, f.wait, notice)
	}
	gate, err := e.open(ctx)
	if err != nil {
		return palisade.Outcome{}, err
	}
	defer gate.Close()
	out, err := submit(ctx, gate, s, f.wait, notice)
	if invalid, ok := errors.AsType[*palisade.InputError](err); ok {
		return out, usage("%w", invalid)
	} else if errors.Is(err, errStillStands) {
		return out, exit(130, "interrupted; the question %s still stands", out.Approval.Ticket)
	} else if err != nil {
		return out, exit(1, "%w", err)
	}
	return out, nil
}

// errStillStands says that whoever waited for an answer went away before it came.
var errStillStands = errors.New("interrupted; the question still stands")

// submit runs the submission; where a human must approve, and the caller waits,
// it tries again until there is an answer. Each try is a run of its own, judged anew.
func submit(ctx context.Context, gate *local.Gate, s palisade.Submission, wait time.Duration, notice func(string)) (palisade.Outcome, error) {
	deadline := time.Now().Add(wait)
	for {
		out, err := gate.Run(ctx, s)
		if err != nil || out.Status != palisade.ApprovalRequired || wait == 0 || out.Approval == nil {
			return out, err
		}
		notice(fmt.Sprintf("waiting for an answer to %s (palisade approvals show %s)", out.Approval.Ticket, out.Approval.Ticket))
		answered, err := gate.AwaitAnswer(ctx, out.Approval.Ticket, deadline)
		if err != nil {
			return out, err
		}
		if ctx.Err() != nil {
			return out, errStillStands
		}
		if !answered {
			notice(fmt.Sprintf("no answer within %s: that is no denial; the question stands until %s, and the same submission uses its answer", wait, out.Approval.Expires.UTC().Format(time.RFC3339)))
			return out, nil
		}
	}
}

// show prints the outcome.
func (e *env) show(f runFlags, out palisade.Outcome) error {
	if f.json {
		return writeJSON(e.stdout, out)
	}
	for _, shown := range displayed(out) {
		if _, err := fmt.Fprintln(e.stdout, redact.Escape(shown)); err != nil {
			return err
		}
	}
	if f.quiet {
		return nil
	}
	if out.Truncated {
		fmt.Fprintf(e.stderr, "palisade: the record and --json keep the head and tail of the output (%d bytes written)\n", out.Usage.BytesWritten)
	}
	lines := append(explain(out), f.submission.hints(out)...)
	if line := seen(out); line != "" {
		lines = append(lines, line)
	}
	for _, line := range lines {
		fmt.Fprintf(e.stderr, "palisade: %s\n", redact.EscapeLine(line))
	}
	if out.Status == palisade.ApprovalRequired && out.Approval != nil {
		if cfg, err := e.settings(); err == nil { // another user's state folder is another one
			where := fmt.Sprintf("  → another user finds it with: palisade --home %s approvals show %s", quoted(cfg.State), out.Approval.Ticket)
			fmt.Fprintf(e.stderr, "palisade: %s\n", redact.EscapeLine(where))
		}
	}
	if out.Status == palisade.ApprovalRequired && out.Approval != nil && isTerminal(e.stderr) {
		if err := e.showQuestion(out.Approval.Ticket); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(e.stderr, "palisade: %s\n", redact.EscapeLine(verdictLine(out)))
	return err
}

// quoted writes a path as a shell reads it.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("/._-+@:,%", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// displayed are the values that a terminal can show: those of the program's last
// expression, and of its entry function.
func displayed(out palisade.Outcome) []string {
	var shown []string
	for _, rich := range out.Rich {
		if text := rich.Data["text/plain"]; text != "" {
			shown = append(shown, text)
		}
	}
	if out.Value != nil {
		shown = append(shown, string(out.Value))
	}
	return shown
}

// explain says why a run did not go well and what can be done.
func explain(out palisade.Outcome) []string {
	var lines []string
	for _, f := range out.Findings {
		lines = append(lines, fmt.Sprintf("%s: %s: %s [%s]", placeOf(f), f.Severity, f.Message, f.Rule))
	}
	if out.Status != palisade.OK {
		lines = append(lines, out.Errors...)
		for _, next := range out.Feedback.Next {
			lines = append(lines, "  → "+brief(next))
		}
	}
	// Why the sandbox failed is the host's business: whoever sits here may read the
	// record, the model that gets the feedback may not.
	if out.Status == palisade.SandboxError {
		lines = append(lines, "  → the reason is on the record: palisade audit show "+out.Run)
	}
	return lines
}

// brief cuts what is long for a terminal; the outcome has it whole.
func brief(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "… (--json has all of it)"
}

// verdictLine is the one line that ends a run.
func verdictLine(out palisade.Outcome) string {
	line := string(out.Status)
	if out.Signal != "" {
		line += " (" + out.Signal + ")"
	} else if out.Status == palisade.RuntimeError && out.ExitCode != 0 {
		line += fmt.Sprintf(" (exit %d)", out.ExitCode)
	}
	if a := out.Approval; a != nil && a.Self && !a.Denied {
		line += " · approved by the submitter"
	} else if a != nil && a.Self {
		line += " · denied by the submitter"
	}
	line += fmt.Sprintf(" · profile %s · run %s", out.Sandbox.Profile, out.Run)
	if out.MayHaveRun {
		line += fmt.Sprintf(" · %s, %d ms cpu, %d ms wall", out.Sandbox.Backend, out.Usage.CPU.Milliseconds(), out.Usage.Wall.Milliseconds())
	} else {
		line += " · never ran"
	}
	return line
}

// writeJSON writes one value on one line. What its strings hold of the foreign
// cannot act on a terminal.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(redact.EscapeJSON(b.Bytes()))
	return err
}
