package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"palisade"
	"palisade/internal/redact"
)

// report writes what a scan found, in one of the formats.
type report interface {
	add(scanned) error
	end() error
}

func (e *env) newReport(f scanFlags) (report, error) {
	switch f.format {
	case "json":
		return jsonReport{e.stdout}, nil
	case "sarif":
		return &sarifReport{out: e.stdout, version: e.version}, nil
	}
	fancy := f.color == "always" || f.color == "auto" && isTerminal(e.stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return textReport{e.stdout, e.stderr, fancy}, nil
}

// jsonReport writes one object a line.
type jsonReport struct{ out io.Writer }

func (r jsonReport) add(s scanned) error { return writeJSON(r.out, s) }
func (jsonReport) end() error            { return nil }

// textReport writes for people: a line for each finding and each file; on a
// terminal also the lines of code, in color.
type textReport struct {
	out, errs io.Writer
	fancy     bool
}

func (textReport) end() error { return nil }

func (r textReport) add(s scanned) error {
	if s.Error != "" {
		_, err := fmt.Fprintf(r.errs, "palisade: %s\n", redact.EscapeLine(s.Error))
		return err
	}
	var b strings.Builder
	for _, f := range s.Findings {
		r.finding(&b, s, f)
	}
	verdict := r.paint(decisionColors[s.Decision], s.Decision.String())
	fmt.Fprintf(&b, "%s: %s (score %d)\n", redact.EscapeLine(s.Path), verdict, s.Score)
	_, err := io.WriteString(r.out, b.String())
	return err
}

func (r textReport) finding(b *strings.Builder, s scanned, f palisade.Finding) {
	place := redact.EscapeLine(placeOf(f))
	decision := s.decision(f)
	severity := r.paint(severityColors[f.Severity], f.Severity.String())
	fmt.Fprintf(b, "%s: %s: %s: %s [%s]", r.paint("1", place), r.paint(decisionColors[decision], decision.String()), severity, redact.EscapeLine(f.Message), redact.EscapeLine(f.Rule))
	if f.Evidence != "" && !r.fancy {
		fmt.Fprintf(b, " (%s)", redact.EscapeLine(f.Evidence))
	}
	b.WriteByte('\n')
	if !r.fancy {
		return
	}
	if f.File == redact.EscapeLine(s.Path) {
		r.frame(b, s, f)
	}
	if f.Evidence != "" {
		fmt.Fprintf(b, "      = how: %s\n", redact.EscapeLine(f.Evidence))
	}
}

// placeOf is where a finding is: a file, and a place in it unless it is about
// the file as a whole.
func placeOf(f palisade.Finding) string {
	if f.Line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
}

// decision is what policy says of a finding.
func (s scanned) decision(f palisade.Finding) palisade.Decision {
	for _, reason := range s.Reasons {
		if reason.Finding == f {
			return reason.Decision
		}
	}
	return palisade.Allow
}

// maxFrame bounds a line of code that is shown, in characters.
const maxFrame = 160

// frame shows the finding's line with the one before it, and points at its
// column. A line that carries a credential is not shown.
func (r textReport) frame(b *strings.Builder, s scanned, f palisade.Finding) {
	lines := bytes.Split(s.source, []byte("\n"))
	if f.Line < 1 || f.Line > len(lines) {
		return
	}
	for n := max(1, f.Line-1); n <= f.Line; n++ {
		text := redact.EscapeLine(clipped(string(lines[n-1])))
		if s.carries(f.File, n) {
			text = "(a credential stands here)"
		}
		fmt.Fprintf(b, "%5d %s %s\n", n, r.paint("2", "|"), text)
	}
	if s.carries(f.File, f.Line) {
		return
	}
	line := lines[f.Line-1]
	before := redact.EscapeLine(string(line[:min(max(f.Column-1, 0), len(line))]))
	if width := utf8.RuneCountInString(before); width < maxFrame {
		fmt.Fprintf(b, "      %s %s%s\n", r.paint("2", "|"), strings.Repeat(" ", width), r.paint(severityColors[f.Severity], "^"))
	}
}

// carries reports whether a credential was found in a line.
func (s scanned) carries(file string, line int) bool {
	return slices.ContainsFunc(s.Findings, func(f palisade.Finding) bool {
		return f.Capability == palisade.CapCredential && f.File == file && f.Line == line
	})
}

func clipped(line string) string {
	if utf8.RuneCountInString(line) <= maxFrame {
		return line
	}
	return string([]rune(line)[:maxFrame]) + "…"
}

// severityColors and decisionColors are SGR parameters (ECMA-48).
var (
	severityColors = map[palisade.Severity]string{
		palisade.Info: "2", palisade.Low: "36", palisade.Medium: "33", palisade.High: "31", palisade.Critical: "1;31",
	}
	decisionColors = map[palisade.Decision]string{palisade.Allow: "32", palisade.Ask: "33", palisade.Deny: "1;31"}
)

// paint colors our own words.
func (r textReport) paint(color, text string) string {
	if !r.fancy {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
