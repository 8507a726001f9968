package approval

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"palisade"
)

// Bounds of what is shown, in bytes; the code is always shown whole.
const (
	maxPrompt = 16 << 10
	maxArg    = 4 << 10
)

// Text is the question for a human: who asks, what for, the program with its
// findings in place, what comes with it, what would become possible, and what
// still bounds it. Every foreign word passes through the queue's escape.
func (q *Queue) Text(question *Question, item Item) string {
	w := &writer{escape: q.c.Escape}
	w.head(question, item)
	w.prompt(question.Prompt)
	shown := files(question)
	for _, file := range shown {
		w.code(file, question.Verdict.Reasons)
	}
	w.runs(question)
	w.elsewhere(shown, question.Verdict.Reasons)
	w.inputs(question)
	w.possible(question)
	w.bounds(question)
	if item.Standing == Waiting {
		digest := question.Binding.String()[:2*minPrefix]
		w.line("")
		w.line("Answer with:")
		w.line("  palisade approvals approve %s %s%s", w.escape(question.Ticket), digest, comment(question.Severity))
		w.line("  palisade approvals deny %s %s", w.escape(question.Ticket), digest)
	}
	return w.b.String()
}

func comment(s palisade.Severity) string {
	if s < palisade.High {
		return ""
	}
	return " --comment WHY"
}

type writer struct {
	b      strings.Builder
	escape func(string) string
}

// line writes a line of our own words; foreign arguments were escaped. A long
// line is folded here: a terminal would begin the rest of it where our lines
// begin.
func (w *writer) line(format string, args ...any) {
	w.b.WriteString(Fold(fmt.Sprintf(format, args...)))
	w.b.WriteByte('\n')
}

// foreign writes a foreign text, each line behind a mark, so that none of it
// can pass for ours.
func (w *writer) foreign(mark, text string) {
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		w.line("%s%s", mark, w.escape(line))
	}
}

func (w *writer) head(q *Question, item Item) {
	w.line("Ticket %s: may this program run?", w.escape(q.Ticket))
	w.line("  digest     %s", q.Binding)
	w.line("  asked by   %s through %s, run %s", w.escape(q.Submitter), w.escape(cmp.Or(q.Door, "an unnamed door")), w.escape(q.Run))
	w.line("  asked at   %s", q.Asked.UTC().Format(time.RFC3339))
	w.line("  state      %s, until %s", item.Standing, item.Expires.UTC().Format(time.RFC3339))
	w.line("  severity   %s, score %d of 100", q.Severity, q.Score)
	if item.Need > 1 {
		w.line("  wants      yes from %d humans, each another; %d said so", item.Need, item.Approved)
	}
	if item.Approver != "" {
		w.line("  answered   by %s%s", w.escape(item.Approver), selfNote(item.Self))
		if item.Comment != "" {
			w.foreign("             | ", item.Comment)
		}
	}
}

func selfNote(self bool) string {
	if self {
		return ", who also asked"
	}
	return ""
}

func (w *writer) prompt(text string) {
	w.line("")
	if text == "" {
		w.line("No prompt came with it.")
		return
	}
	w.line("The prompt that it answers (not checked, not addressed to you):")
	w.foreign("  | ", bounded(text, maxPrompt))
}

// runs writes the text that runs in place of the code, where it is another one.
func (w *writer) runs(q *Question) {
	if len(q.Runs) == 0 || bytes.Equal(q.Runs, q.Program.Source) {
		return
	}
	w.line("")
	w.line("What runs is this canonical form of it:")
	w.foreign("  | ", string(q.Runs))
}

// source is one file of code.
type source struct{ name, text string }

func files(q *Question) []source {
	out := []source{{q.Program.Name, string(q.Program.Source)}}
	for _, m := range q.Program.Modules {
		out = append(out, source{m.Name, string(m.Source)})
	}
	return out
}

// code writes a file with its findings under the lines that they are about.
func (w *writer) code(file source, reasons []palisade.Reason) {
	w.line("")
	w.line("%s:", w.escape(cmp.Or(file.name, "the program")))
	notes := map[int][]palisade.Reason{}
	lines := strings.Split(strings.TrimSuffix(file.text, "\n"), "\n")
	for _, r := range reasons {
		at := r.Finding.Line
		if r.Finding.File != file.name {
			continue
		}
		if at < 1 || at > len(lines) {
			at = 0
		}
		notes[at] = append(notes[at], r)
	}
	w.notes(notes[0])
	for i, line := range lines {
		w.line("  %5d | %s", i+1, w.escape(line))
		w.notes(notes[i+1])
	}
}

// elsewhere writes the reasons that are about no line that was shown.
func (w *writer) elsewhere(shown []source, reasons []palisade.Reason) {
	var rest []palisade.Reason
	for _, r := range reasons {
		if !slices.ContainsFunc(shown, func(s source) bool { return s.name == r.Finding.File }) {
			rest = append(rest, r)
		}
	}
	if len(rest) > 0 {
		w.line("")
		w.line("About it as a whole:")
		w.notes(rest)
	}
}

func (w *writer) notes(reasons []palisade.Reason) {
	for _, r := range reasons {
		f := r.Finding
		w.line("      ^ %s: %s, %s (%s)", r.Decision, w.escape(f.Rule), w.escape(f.Message), w.escape(r.Policy))
		if f.Evidence != "" {
			w.foreign("        reached: ", bounded(f.Evidence, maxArg))
		}
	}
}

func (w *writer) inputs(q *Question) {
	if q.Program.Entry != "" {
		w.line("")
		w.line("Entry function: %s", w.escape(q.Program.Entry))
	}
	for _, name := range slices.Sorted(maps.Keys(q.Inputs.Args)) {
		w.line("  argument %s:", w.escape(name))
		w.foreign("    | ", compact(q.Inputs.Args[name], maxArg))
	}
	if len(q.Files) > 0 || q.Stdin != nil {
		w.line("")
		w.line("With it come, as data:")
	}
	for _, f := range q.Files {
		w.line("  %s  %d bytes  sha256 %s", w.escape(f.Name), f.Size, f.Digest)
	}
	if q.Stdin != nil {
		w.line("  standard input  %d bytes  sha256 %s", q.Stdin.Size, q.Stdin.Digest)
	}
	if len(q.Files) > 0 || q.Stdin != nil {
		w.line("  (what they hold: palisade audit show %s)", w.escape(q.Run))
	}
}

func (w *writer) possible(q *Question) {
	w.line("")
	w.line("If you approve, it may:")
	network, unknown := false, false
	for _, text := range possible(q.Verdict.Reasons) {
		w.line("  - %s", w.escape(text))
	}
	for _, r := range q.Verdict.Reasons {
		reaches := r.Decision == palisade.Ask && (r.Finding.Capability == palisade.CapNetwork || strings.Contains(r.Policy, ".network."))
		network = network || reaches
		unknown = unknown || reaches && strings.HasSuffix(r.Policy, ".network.unknown")
	}
	switch {
	case network && len(q.Verdict.Egress) == 0:
		w.line("  (its sandbox reaches no peer all the same, since none that it names can be granted: an attempt will fail)")
	case unknown:
		w.line("  (peers that the reading could not tell cannot be granted: it reaches those below and no other)")
	}
}

func (w *writer) bounds(q *Question) {
	v := q.Verdict
	w.line("")
	w.line("It runs once, in a sandbox that nobody used before, under profile %s (%s, digest %s):", w.escape(v.Profile), w.escape(v.PolicyVersion), v.PolicyDigest.String()[:16])
	l := v.Limits
	w.line("  limits       %s CPU, %s in all, %s memory, %d processes, %d open files, %s disk, %s output",
		l.CPU, l.Wall, size(l.Memory), l.Processes, l.OpenFiles, size(l.Disk), size(l.Output))
	w.line("  back-ends    %s", w.escape(strings.Join(v.Isolation.Backends, ", ")))
	w.line("  no calls to  %s", w.escape(strings.Join(v.DeniedSyscalls, ", ")))
	if len(v.Abort) > 0 {
		w.line("  ends it      %s", w.escape(strings.Join(v.Abort, ", ")))
	}
	w.line("  peers        %s", w.escape(cmp.Or(strings.Join(peerNames(v.Egress), ", "), "none")))
	if v.Deterministic {
		w.line("  seed, clock  fixed: what it draws at random can be foretold, and its time of day is not today's")
	}
	w.line("  runtime      %s", w.escape(q.Image))
}

// peerNames are a run's peers with what they are held to, in words.
func peerNames(peers []palisade.Peer) []string {
	var names []string
	for _, p := range peers {
		text := p.Name
		if denied, ok := strings.CutPrefix(text, "!"); ok {
			text = "not " + denied
		}
		var held []string
		if p.Terminate {
			held = append(held, "TLS is read")
		}
		if len(p.Methods) > 0 {
			held = append(held, strings.Join(p.Methods, " "))
		}
		if len(p.Paths) > 0 {
			held = append(held, strings.Join(p.Paths, " "))
		}
		if len(p.Secrets) > 0 {
			held = append(held, "with the credentials "+strings.Join(p.Secrets, " "))
		}
		if len(held) > 0 {
			text += " (" + strings.Join(held, "; ") + ")"
		}
		names = append(names, text)
	}
	return names
}

// size writes a number of bytes in KiB or MiB where it is a whole number of
// them.
func size(bytes int64) string {
	switch {
	case bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}
