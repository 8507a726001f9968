package incident

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"palisade"
)

// Bounds of what the Markdown form shows of one text, in bytes; the JSON form
// has all of it.
const (
	maxShown    = 16 << 10
	maxFindings = 100
)

// Markdown writes the report for people. Every foreign word passes through
// escape and stands in a block or a span of code that it cannot end.
func (r *Report) Markdown(escape func(string) string) string {
	w := &markdown{escape: escape}
	w.line("# Run %s", w.span(r.Run))
	w.line("")
	w.line("From %s to %s. All that stands in code below is foreign: written by a model, a program or a file, and not checked.", stamp(r.Began), stamp(r.Ended))
	for _, kind := range r.Missing {
		w.line("")
		w.line("**What was recorded of the step %s is no longer kept.**", kind)
	}
	w.stems(r)
	w.who(r)
	w.block("Prompt", r.Prompt, "No prompt came with it.")
	w.block("Code", string(r.Program.Source), "Not kept.")
	for _, m := range r.Program.Modules {
		w.block("Module "+w.span(m.Name), string(m.Source), "")
	}
	if len(r.Inspection.Runs) > 0 {
		w.block("What ran in its place", string(r.Inspection.Runs), "")
	}
	w.inputs(r)
	w.findings(r)
	w.box(r)
	w.outcome(r)
	w.events(r)
	w.around(r)
	w.related(r)
	return w.b.String()
}

type markdown struct {
	b      strings.Builder
	escape func(string) string
}

func (w *markdown) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

func (w *markdown) heading(text string) {
	w.line("")
	w.line("## %s", text)
	w.line("")
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000 MST") }

// fenceOf is longer than any run of the mark in a text, and at least n.
func fenceOf(text string, n int) string {
	run := 0
	for _, c := range text {
		if c != '`' {
			run = 0
			continue
		}
		run++
		n = max(n, run+1)
	}
	return strings.Repeat("`", n)
}

// span writes a foreign word on one line.
func (w *markdown) span(text string) string {
	text = w.escape(strings.NewReplacer("\n", " ", "\r", " ", "\t", " ", "|", "¦").Replace(text))
	if strings.TrimSpace(text) == "" {
		return "–"
	}
	fence := fenceOf(text, 1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// block writes a foreign text below a heading.
func (w *markdown) block(heading, text, none string) {
	if text == "" && none == "" {
		return
	}
	w.heading(heading)
	if text == "" {
		w.line("%s", none)
		return
	}
	w.code(text)
}

func (w *markdown) code(text string) {
	rest := len(text) - maxShown
	text = strings.ToValidUTF8(text[:min(len(text), maxShown)], "\uFFFD")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, one := range lines {
		lines[i] = w.escape(one)
	}
	text = strings.Join(lines, "\n")
	fence := fenceOf(text, 3)
	w.line("%stext\n%s\n%s", fence, text, fence)
	if rest > 0 {
		w.line("")
		w.line("%d more bytes are in the JSON form.", rest)
	}
}

func (w *markdown) stems(r *Report) {
	w.heading("Where it stems from")
	if r.Stems == nil {
		w.line("Nothing harmful was found in it.")
		return
	}
	words := map[string]string{
		FromPrompt: "the prompt", FromFile: "a file or an input", FromEarlier: "an earlier turn of the conversation",
		FromModel: "the model, as far as the record tells", FromUnknown: "what the record no longer tells",
	}
	w.line("**The harmful part stems from %s. Sure: %s.** %s: %s.", words[r.Stems.From], r.Stems.Sure, w.finding(r.Stems.Finding), w.because(*r.Stems))
	w.line("")
	count := map[string]int{}
	for _, o := range r.Origins {
		count[o.From]++
	}
	for _, from := range []string{FromPrompt, FromFile, FromEarlier, FromModel, FromUnknown} {
		if n := count[from]; n > 0 {
			w.line("- %d of %d harmful parts: from %s", n, len(r.Origins), words[from])
		}
	}
	w.line("")
	for _, o := range r.Origins {
		w.line("- %s: from %s, sure: %s; %s.", w.finding(o.Finding), words[o.From], o.Sure, w.because(o))
		for _, m := range o.Evidence {
			w.line("  - %s, line %d: %s, found by %s", w.span(m.Source), m.At, w.span(m.Line), w.span(m.Words))
		}
	}
	w.line("")
	w.line("This compares texts. It cannot tell what a model was told in ways that are not on the record, nor who meant what.")
}

// because says why, with the foreign name of the source in a span.
func (w *markdown) because(o Origin) string {
	if len(o.Evidence) == 0 {
		return o.Because
	}
	best := o.Evidence[0]
	return best.How + " stands in " + w.span(best.Source)
}

func (w *markdown) finding(f palisade.Finding) string {
	text := w.span(f.Rule)
	if f.Line > 0 {
		text += fmt.Sprintf(" at line %d", f.Line)
	}
	if f.Argument != "" {
		text += " on " + w.span(f.Argument)
	}
	return text
}

func (w *markdown) who(r *Report) {
	w.heading("Who and what")
	for _, one := range []struct{ name, value string }{
		{"submitter", r.Submitter}, {"tenant", r.Tenant}, {"door", r.Door}, {"conversation", r.Conversation},
		{"program", r.Program.Name}, {"language", string(r.Program.Language)}, {"profile", r.Verdict.Profile},
		{"policy", strings.TrimSpace(r.Verdict.PolicyVersion + " " + r.Verdict.PolicyDigest.String())},
		{"decision", r.Verdict.Decision.String() + ", by " + r.Verdict.Policy},
		{"status", string(r.Result.Status)}, {"reason", r.Result.Reason},
	} {
		if one.value != "" {
			w.line("- %s: %s", one.name, w.span(one.value))
		}
	}
	ran := "it never ran"
	if r.Result.MayHaveRun {
		ran = "it may have run"
	}
	w.line("- %s", ran)
}

func (w *markdown) inputs(r *Report) {
	if r.Program.Entry == "" && len(r.Inputs.Args) == 0 && len(r.Files) == 0 {
		return
	}
	w.heading("Inputs and files")
	if r.Program.Entry != "" {
		w.line("- entry function %s", w.span(r.Program.Entry))
	}
	if len(r.Inputs.Args) > 0 {
		if args, err := json.Marshal(r.Inputs.Args); err == nil {
			w.line("- arguments %s", w.span(string(args[:min(len(args), 1000)])))
		}
	}
	for _, f := range r.Files {
		w.line("- %s, %d bytes, sha256 %s", w.span(f.Name), f.Size, f.Digest)
	}
}

func (w *markdown) findings(r *Report) {
	w.heading("Findings")
	decided := map[string]palisade.Reason{}
	key := func(f palisade.Finding) string { return fmt.Sprint(f.Rule, f.File, f.Line, f.Column, f.Argument) }
	for _, reason := range r.Verdict.Reasons {
		decided[key(reason.Finding)] = reason
	}
	if len(r.Inspection.Findings) == 0 {
		w.line("None.")
		return
	}
	w.line("Score %d of 100.", r.Inspection.Score)
	w.line("")
	for i, f := range r.Inspection.Findings {
		if i == maxFindings {
			w.line("- and %d more, in the JSON form", len(r.Inspection.Findings)-i)
			break
		}
		what := "allowed"
		if reason, ok := decided[key(f)]; ok {
			what = reason.Decision.String() + " by " + w.span(reason.Policy)
		}
		w.line("- %s, %s, %s: %s (%s)", w.finding(f), f.Severity, w.span(string(f.Capability)), w.span(f.Message), what)
		if f.Evidence != "" {
			w.line("  - reached: %s", w.span(f.Evidence[:min(len(f.Evidence), 1000)]))
		}
	}
}

func (w *markdown) box(r *Report) {
	if r.Ready.Backend == "" {
		return
	}
	w.heading("In the box")
	w.line("- back-end %s, runtime %s", w.span(r.Ready.Backend), w.span(r.Ready.Runtime))
	for _, name := range slices.Sorted(maps.Keys(r.Ready.Layers)) {
		w.line("- layer %s = %s", w.span(name), w.span(r.Ready.Layers[name]))
	}
	for _, a := range r.Result.Anomalies {
		w.line("- **against the protocol**: %s", w.span(a))
	}
	for _, a := range r.Result.Activity.Acts {
		refused := ""
		if a.Refused {
			refused = ", **refused**"
		}
		w.line("- at %d ms: %s %s%s %s", a.Millis, w.span(a.Kind), w.span(a.What), refused, w.span(a.Detail))
	}
	if n := r.Result.Activity.Dropped; n > 0 {
		w.line("- %d more acts were not kept", n)
	}
}

func (w *markdown) outcome(r *Report) {
	for _, one := range []struct {
		name string
		said palisade.Captured
	}{{"Standard output, as it was written", r.Result.Stdout}, {"Standard error, as it was written", r.Result.Stderr}} {
		w.block(one.name, string(one.said.Head)+string(one.said.Tail), "")
		if one.said.Truncated() {
			w.line("")
			w.line("%d bytes of it were not kept.", one.said.Total-int64(len(one.said.Head)+len(one.said.Tail)))
		}
	}
	var told struct {
		Feedback palisade.Feedback
		Approval *palisade.Approval
	}
	if r.Outcome == nil || json.Unmarshal(r.Outcome, &told) != nil {
		return
	}
	w.block("What was answered", told.Feedback.Text, "Nothing.")
	for _, next := range told.Feedback.Next {
		w.line("- %s", w.span(next))
	}
	if a := told.Approval; a != nil {
		w.line("- ticket %s, approver %s, comment %s", w.span(a.Ticket), w.span(a.Approver), w.span(a.Comment))
	}
}

func (w *markdown) events(r *Report) {
	w.heading("On the record")
	for _, e := range r.Events {
		said := ""
		if e.Data != nil {
			said = " " + w.span(string(e.Data[:min(len(e.Data), 1000)]))
		}
		w.line("- entry %d, %s: %s%s", e.Index, stamp(e.Time), w.span(string(e.Kind)), said)
	}
}

func (w *markdown) around(r *Report) {
	if len(r.Around) == 0 {
		return
	}
	w.heading("Lockdowns, cuts and kills around it")
	for _, e := range r.Around {
		what := string(e.Kind)
		var c struct{ On *bool }
		if json.Unmarshal(e.Data, &c) == nil && c.On != nil {
			what = Switched(e.Kind, *c.On)
		}
		w.line("- %s: %s %s", stamp(e.Time), what, w.span(cmp.Or(string(e.Data), "(no longer kept)")))
	}
}

func (w *markdown) related(r *Report) {
	w.heading("Related runs")
	if len(r.Related) == 0 {
		w.line("None of the same conversation or submitter.")
		return
	}
	w.line("| began | run | by the same | status | program |")
	w.line("|---|---|---|---|---|")
	for _, one := range r.Related {
		same := ""
		if one.SameProgram {
			same = ", the same code"
		}
		w.line("| %s | %s | %s | %s | %s%s |", stamp(one.Began), w.span(one.Run), one.By, w.span(one.Status), w.span(one.Program), same)
	}
	if r.More > 0 {
		w.line("")
		w.line("And %d more.", r.More)
	}
}
