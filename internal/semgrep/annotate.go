package semgrep

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Report is what the marks of an annotated file say of the rules.
type Report struct {
	// Checked counts the marks that were held to the rules.
	Checked int
	// Failures are ordered by place.
	Failures []Failure
}

// Failure is one line on which a rule does not do what the marks say.
type Failure struct {
	Rule string
	Line int
	// Missed says that a match is marked and not there; otherwise a match is
	// there and not marked.
	Missed bool
}

// marks finds Semgrep's annotations: `# ruleid: a, b`, `# ok: a`, and the same
// with todo in front for what is known not to work yet, or with the name of an
// engine that follows data further than ours.
var marks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:#|//|--|/\*|<!--|;)\s*(todo|pro|deep|protodo|tododeep|prodeep)?(ruleid|ok)\s*:\s*([A-Za-z0-9._-]+(?:\s*,\s*[A-Za-z0-9._-]+)*)`)
})

// expectation is what a mark says of one rule on one line.
type expectation uint8

const (
	expectMatch expectation = iota + 1
	expectNone
	expectAny // marked as not working yet
)

// Test holds the engine's rules to the marks of an annotated file: a mark
// speaks of the line behind it, or behind further marks. A rule that no mark
// names must not match at all. An error is that of Engine.Match.
func Test(e *Engine, s Source) (Report, error) {
	found, err := e.Match(s)
	if err != nil {
		return Report{}, err
	}
	expected := annotations(string(s.Text))
	var r Report
	matched := map[string]map[int]bool{}
	for _, m := range found {
		if matched[m.Rule.ID] == nil {
			matched[m.Rule.ID] = map[int]bool{}
		}
		if matched[m.Rule.ID][m.Line] {
			continue
		}
		matched[m.Rule.ID][m.Line] = true
		if want := expected[m.Rule.ID][m.Line]; want != expectMatch && want != expectAny {
			r.Failures = append(r.Failures, Failure{Rule: m.Rule.ID, Line: m.Line})
		}
	}
	for id, lines := range expected {
		for line, want := range lines {
			if want != expectAny {
				r.Checked++
			}
			if want == expectMatch && !matched[id][line] {
				r.Failures = append(r.Failures, Failure{Rule: id, Line: line, Missed: true})
			}
		}
	}
	slices.SortFunc(r.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	return r, nil
}

// annotations reads the marks of a file: for each rule, what is expected on
// which line.
func annotations(src string) map[string]map[int]expectation {
	out := map[string]map[int]expectation{}
	lines := strings.Split(src, "\n")
	for i, line := range lines {
		mark := marks().FindStringSubmatch(line)
		if mark == nil {
			continue
		}
		target := i + 1
		for target < len(lines) && marks().MatchString(lines[target]) {
			target++
		}
		want := expectNone
		switch {
		case mark[1] != "":
			want = expectAny
		case mark[2] == "ruleid":
			want = expectMatch
		}
		for id := range strings.SplitSeq(mark[3], ",") {
			id = strings.TrimSpace(id)
			if out[id] == nil {
				out[id] = map[int]expectation{}
			}
			out[id][target+1] = want
		}
	}
	return out
}
