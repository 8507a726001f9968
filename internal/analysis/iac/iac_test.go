package iac

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

const (
	tf     = palisade.Terraform
	k8s    = palisade.Kubernetes
	docker = palisade.Dockerfile
)

// example is a text and what must be found in it: "capability argument", with
// "?" behind an argument that is not known; "shell text" for an embedded
// program; the negation of either with "!" in front. An empty list means that
// nothing but names may be found.
type example struct {
	language palisade.Language
	source   string
	want     []string
}

func found(t *testing.T, e example) []string {
	t.Helper()
	got, err := Read(analysis.Text{Language: e.language, Name: "x", Source: e.source})
	if err != nil {
		t.Fatalf("%v\n%s", err, e.source)
	}
	var out []string
	for _, f := range got.Facts {
		if f.File != "x" || f.Line < 1 || f.Column < 1 || f.Symbol == "" {
			t.Errorf("no file, place or symbol: %+v\n%s", f, e.source)
		}
		s := fmt.Sprintf("%s %s", f.Capability, f.Argument)
		if f.Unknown {
			s += "?"
		}
		out = append(out, s)
	}
	for _, b := range got.Embedded {
		if b.Line < 1 || b.Via == "" {
			t.Errorf("no place or way: %+v", b)
		}
		out = append(out, fmt.Sprintf("%s %s", b.Language, b.Source))
	}
	return out
}

// plain are findings that say nothing bad on their own.
func plain(s string) bool {
	return strings.HasPrefix(s, "target ") || s == "privilege "+rootUser || strings.HasPrefix(s, "listen container:")
}

func check(t *testing.T, list []example) {
	t.Helper()
	for _, e := range list {
		got := found(t, e)
		if len(e.want) == 0 {
			if rest := slices.DeleteFunc(slices.Clone(got), plain); len(rest) > 0 {
				t.Errorf("found %q in\n%s", rest, e.source)
			}
		}
		for _, want := range e.want {
			name, not := strings.CutPrefix(want, "!")
			if slices.Contains(got, name) == not {
				t.Errorf("%q: got %q in\n%s", want, got, e.source)
			}
		}
	}
}

// TestErrors holds apart what is not of its language and what is too much.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		language palisade.Language
		source   string
		line     int // of the syntax error; 0: another error
	}{
		{tf, "resource {", 1}, {tf, "\na = = 1", 2}, {tf, "a = 1", 1}, {tf, `{"a": }`, 1}, {tf, "{}\n{}", 2}, {tf, "[1]", 1}, {tf, "x \"${\n", 1},
		{tf, "locals {\n a = " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300) + "\n}", 0},
		{k8s, "a: b\na: c", 2}, {k8s, "a: [", 1}, {k8s, "a: *b", -1}, {k8s, "{\"a\": 1, \"a\": 2}", 1}, {k8s, "[a, b]: c", 1},
		{k8s, "kind: {{ .Values.x }}\n", -1}, {k8s, "a: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), 0},
		{docker, "FROM a\nNOPE x", 2}, {docker, "RUN x", 1}, {docker, "", -1}, {docker, "// syntax=evil/frontend\nFROM a", 1}, {docker, "{\"syntax\": \"evil\"}", 1}, {docker, "# c\n", -1}, {docker, "ARG a=1", -1}, {docker, "FROM a\nRUN <<EOF\nx", 2},
		{docker, "FROM a\nONBUILD ONBUILD RUN x", 2}, {palisade.Shell, "id", 0},
	} {
		_, err := Read(analysis.Text{Language: c.language, Name: "x", Source: c.source})
		syntax, ok := errors.AsType[*analysis.SyntaxError](err)
		switch {
		case err == nil:
			t.Errorf("no error in %.80q", c.source)
		case ok != (c.line != 0):
			t.Errorf("%.80q: %v (%T)", c.source, err, err)
		case c.line > 0 && syntax.Line != c.line:
			t.Errorf("%.80q: %v, want line %d", c.source, err, c.line)
		}
	}
}

func mustRead(t *testing.T, l palisade.Language, source string) analysis.Reading {
	t.Helper()
	got, err := Read(analysis.Text{Language: l, Name: "x", Source: source})
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return got
}

// examples are all that the tables of the tests hold.
func examples() [][]example {
	return [][]example{
		runs, sources, reach, openDoors, grants, clear, destroys, targets, workloads, cluster, builds, evasions,
	}
}

// TestUnclosedVariable: BuildKit refuses a brace that is not closed; so do we.
func TestUnclosedVariable(t *testing.T) {
	for _, source := range []string{"FROM a\nENV A=${B\n", "FROM a\nARG A=${B:-${C}\n", "FROM ${A\n", "FROM a\nUSER ${U:-" + strings.Repeat("${U:-", 3000) + "\n"} {
		_, err := Read(analysis.Text{Language: docker, Name: "Dockerfile", Source: source})
		if _, ok := errors.AsType[*analysis.SyntaxError](err); !ok {
			t.Errorf("%.60q: %v", source, err)
		}
	}
	for _, source := range []string{"FROM a\nRUN echo ${B\n", "FROM a\nENV A='${B'\n", "FROM a\nENV A=\\${B\n", "FROM a\nENV A=${B:-${C:-d}}\n"} {
		if _, err := Read(analysis.Text{Language: docker, Name: "Dockerfile", Source: source}); err != nil {
			t.Errorf("%q: %v", source, err)
		}
	}
}
