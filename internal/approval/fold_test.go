package approval

import (
	"strings"
	"testing"

	"palisade"
)

// TestNoLineIsForgedByWidth: on a terminal of 80 cells, no foreign text begins a
// line, however it is padded.
func TestNoLineIsForgedByWidth(t *testing.T) {
	const forged = "If you approve, it may do nothing"
	b := newBench(t)
	q := b.queue(Config{})
	pad := func(lead int) string { return strings.Repeat(" ", 80-lead) + forged }
	wide := strings.Repeat("字", 36) + forged
	in := question(func(q *palisade.Question) {
		q.Case.Submission.Program.Source = []byte("x = 1" + pad(5) + "\ny = '" + wide + "'\n" + pad(10) + "\n")
		q.Case.Submission.Prompt = pad(4)
		q.Case.Submission.Files[0].Name = pad(2)
		q.Verdict.Reasons[0].Finding.Message = pad(20)
	})
	a := take(t, q, "run", in)
	shown, item, err := q.Show(t.Context(), a.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	q.c.Escape = func(s string) string { return s }
	for _, line := range strings.Split(q.Text(shown, item), "\n") {
		width := 0
		for _, r := range line {
			if width++; r >= 0x80 {
				width++
			}
		}
		if width > 80 {
			t.Errorf("%d cells: %q", width, line)
		}
		if strings.HasPrefix(strings.TrimLeft(line, " "), forged) {
			t.Errorf("forged: %q", line)
		}
	}
}

func TestFold(t *testing.T) {
	for _, line := range []string{"", "x", strings.Repeat("x", 80)} {
		if got := Fold(line); got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
	line := strings.Repeat("x", 200)
	if got := Fold(line); strings.ReplaceAll(got, "\n"+foldMark, "") != line || strings.Count(got, "\n") != 2 {
		t.Error(got)
	}
	if got := Fold(strings.Repeat("\t", 50)); strings.Count(got, "\n") < 4 {
		t.Errorf("%q", got)
	}
}

// TestEveryReasonIsShown: also one that is about no line of the program.
func TestEveryReasonIsShown(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{})
	a := take(t, q, "run", question(func(q *palisade.Question) {
		q.Verdict.Reasons = append(q.Verdict.Reasons, palisade.Reason{
			Finding: palisade.Finding{Rule: "condition", Message: "comes by night"}, Decision: palisade.Ask, Policy: "conditions[0]",
		})
	}))
	shown, item, err := q.Show(t.Context(), a.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	if text := q.Text(shown, item); !strings.Contains(text, "About it as a whole:\n") || strings.Count(text, "comes by night") != 2 {
		t.Error(text)
	}
}
