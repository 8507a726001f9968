package semgrep

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestShipped holds each shipped rule to the annotated program beside its file,
// or to the programs under bad and good in its own metadata.
func TestShipped(t *testing.T) {
	files := Shipped()
	if len(files) == 0 {
		t.Fatal("no rules are shipped")
	}
	if _, err := Default(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, f := range files {
		e, err := Load(f)
		if err != nil {
			t.Fatal(err)
		}
		total += len(e.Rules())
		marked := holdToMarks(t, e, strings.TrimSuffix(f.Name, ".yaml")+".py")
		for _, r := range e.Rules() {
			got := kindsOf(marked[r.ID])
			bad, good := holdToExamples(t, e, r)
			if !(bad || got[expectMatch]) || !(good || got[expectNone]) {
				t.Errorf("%s needs a bad and a good program: lines with marks in the file beside it, or metadata.bad and .good", r.ID)
			}
			if r.Message == "" || r.Metadata == nil {
				t.Errorf("%s: a text is missing", r.ID)
			}
		}
	}
	if total < 12 {
		t.Errorf("%d rules are shipped", total)
	}
}

// holdToMarks holds rules to an annotated program, where there is one, and
// returns its marks.
func holdToMarks(t *testing.T, e *Engine, name string) map[string]map[int]expectation {
	t.Helper()
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	s := source(t, string(data))
	report, err := Test(e, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range report.Failures {
		t.Errorf("%s:%d: %s: missed %v", name, x.Line, x.Rule, x.Missed)
	}
	return annotations(string(s.Text))
}

// holdToExamples holds a rule to the programs in its metadata, and reports
// which there are.
func holdToExamples(t *testing.T, e *Engine, r *Rule) (bad, good bool) {
	t.Helper()
	for _, f := range r.Metadata.Fields {
		if f.Name != "bad" && f.Name != "good" {
			continue
		}
		found, err := e.Match(source(t, f.Value.Text))
		if err != nil {
			t.Fatal(err)
		}
		matches := slices.ContainsFunc(found, func(m Match) bool { return m.Rule.ID == r.ID })
		if matches != (f.Name == "bad") {
			t.Errorf("%s: metadata.%s: matches %v", r.ID, f.Name, matches)
		}
		bad, good = bad || f.Name == "bad", good || f.Name == "good"
	}
	return bad, good
}

func kindsOf(lines map[int]expectation) map[expectation]bool {
	out := map[expectation]bool{}
	for _, want := range lines {
		out[want] = true
	}
	return out
}
