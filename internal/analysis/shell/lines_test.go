package shell

import (
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

// Each line of what runs is known by the line that it was made of.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		source string
		want   []int
	}{
		{"echo a\necho b\n", []int{1, 2}},
		{"#!/bin/bash\n# says\n\n\necho a # why\n\n\necho b\n", []int{5, 5, 8}},
		{"# one line\nfor i in 1 2; do echo $i; nosuch; done; echo end\n", []int{2, 2, 2, 2, 2}},
		{"if true\nthen\n\n  # inside\n  echo a\nfi\necho b\n", []int{1, 1, 5, 5, 7}},
		{"cat <<E\none\ntwo\nE\n# then\nnosuch\n", []int{1, 2, 2, 2, 2, 6}},
		{"a=1 \\\n  b=2\n\nf() { nosuch; }\nf\n", nil},
	} {
		r, err := Read(analysis.Text{Language: palisade.Shell, Name: "x.sh", Source: c.source})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(r.Canonical), "\n"); len(r.Lines) != n || c.want != nil && !slices.Equal(r.Lines, c.want) {
			t.Errorf("%q became\n%slines %v, want %v", c.source, r.Canonical, r.Lines, c.want)
		}
		// A command of which there is one only stands on the line that is said.
		source := strings.Split(c.source, "\n")
		for i, line := range strings.Split(strings.TrimSuffix(string(r.Canonical), "\n"), "\n") {
			if strings.TrimSpace(line) == "nosuch" && !strings.Contains(source[r.Lines[i]-1], "nosuch") {
				t.Errorf("%q: line %d of what runs is said to be line %d", c.source, i+1, r.Lines[i])
			}
		}
	}
}
