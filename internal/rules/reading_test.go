package rules

import (
	"strings"
	"testing"

	"palisade"
)

// TestNumbers: what a command prints that prints numbers is no expression; what
// comes from outside may be one.
func TestNumbers(t *testing.T) {
	for src, want := range map[string]bool{
		"for i in $(seq 1 3); do s=$((s+i)); done":                    false,
		"for i in $(seq \"$1\"); do s=$((s+i)); done":                 false,
		"n=$(wc -l <f); echo $((c+n))":                                false,
		"n=$(cat f | wc -l); echo $((n))":                             false,
		"n=$(date +%s); echo $((n-5))":                                false,
		"n=$(grep -c x f); echo $((n+1))":                             false,
		"n=$(cat f | grep -c x); echo $((n+1))":                       false,
		"x=$(cat f); n=${#x}; echo $((n+1))":                          false,
		"n=$(seq 1 3 | wc -l); m=$((n+1)); echo $((m*2))":             false,
		"n=$(expr 1 + 2); echo $((n))":                                false,
		"n=$(cat f); echo $((n+1))":                                   true,
		"read n; echo $((n+1))":                                       true,
		"n=$(wc -l \"$1\"); echo $((n+1))":                            true,
		"for i in $(seq -s \"$1\" 1 3); do s=$((s+i)); done":          true,
		"n=$(grep -cr x \"$1\"); echo $((n+1))":                       true,
		"n=$(date +\"$1\"); echo $((n+1))":                            true,
		"n=$(expr \"$1\" : '.*'); echo $((n+1))":                      true,
		"n=$(curl https://x.example/n | grep x); echo $((n+1))":       true,
		"n=$(cat f | cut -d: -f1); echo $((n+1))":                     true,
		"x=$(cat f); n=${x%%a}; echo $((n+1))":                        true,
		"n=$(cat f | sort | head -n1); for i in $n; do ((i++)); done": true,
	} {
		out := inspectProgram(t, palisade.Program{Language: palisade.Shell, Name: "p.sh", Source: []byte(src)})
		if _, got := has(out, "sh-arithmetic"); got != want {
			t.Errorf("%s: %t", src, got)
		}
	}
}

// TestExplainAnalyze: with brackets or without, it is what it explains.
func TestExplainAnalyze(t *testing.T) {
	j := newJudge(t)
	for _, what := range []string{"SELECT 1", "SELECT a FROM t", "WITH x AS (SELECT 1) SELECT * FROM x", "DELETE FROM t", "SELECT pg_sleep(9)", "UPDATE t SET a = 1"} {
		plain, listed := j.program("query", palisade.SQL, "EXPLAIN ANALYZE "+what), j.program("query", palisade.SQL, "EXPLAIN (ANALYZE) "+what)
		if plain.Decision != listed.Decision || plain.Decision == palisade.Allow && strings.HasPrefix(what, "D") {
			t.Errorf("%s: %s, with brackets %s: %+v", what, plain.Decision, listed.Decision, plain.Reasons)
		}
	}
	if v := j.program("query", palisade.SQL, "EXPLAIN ANALYZE SELECT 1"); v.Decision != palisade.Allow {
		t.Errorf("%s: %+v", v.Decision, v.Reasons)
	}
	if v := j.program("query", palisade.SQL, "EXPLAIN ANALYZE t"); v.Decision == palisade.Allow {
		t.Error("SQLite's ANALYZE is allowed behind EXPLAIN, which PostgreSQL does not know")
	}
}

// TestMessages: messages are read by people.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		language                palisade.Language
		source, rule, message   string
		line, column, ofOneRule int
	}{
		{palisade.Kubernetes, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  x: [1, 2\n  y: }\n", "unparsable", "cannot be parsed: did not find expected ',' or ']'", 6, 3, 1},
		{palisade.Kubernetes, "apiVersion: v1\nkind: Pod\nspec:\n  a: b\n bad: c\n", "unparsable", "cannot be parsed: did not find expected key", 5, 2, 1},
		{palisade.Kubernetes, "a: 1\n---\nb: 2\n---\na: b: c\n", "unparsable", "cannot be parsed: mapping values are not allowed in this context", 5, 1, 1},
		{palisade.Kubernetes, "a: \"b\nc: d", "unparsable", "cannot be parsed: found unexpected end of stream", 1, 1, 1},
		{palisade.Python, "import os\nos.system('sort " + strings.Repeat("a", 200) + "')", "py-process", `could run another program: os.system of "sort ` + strings.Repeat("a", 75) + `..."`, 2, 1, 1},
		{palisade.Shell, "useradd bob", "sh-privilege", `could gain or grant rights: useradd of "useradd bob"`, 1, 1, 1},
		{palisade.Shell, "git checkout \"$x\"", "sh-process", `could run a command: git of "git checkout ..."`, 1, 1, 1},
		{palisade.Shell, "ls a; ls b", "sh-process", `could run a command: ls of "ls a"`, 1, 1, 2},
	} {
		out := inspectProgram(t, palisade.Program{Language: c.language, Name: "p", Source: []byte(c.source)})
		f, _ := has(out, c.rule)
		if f.Message != c.message || f.Line != c.line || f.Column != c.column {
			t.Errorf("%s\n%d:%d: %s\nwant %d:%d: %s", c.source, f.Line, f.Column, f.Message, c.line, c.column, c.message)
		}
		n := 0
		for _, f := range out.Findings {
			if f.Rule == c.rule {
				n++
			}
			if strings.HasSuffix(f.Evidence, ": ") || f.Evidence == "…" {
				t.Errorf("%s: evidence %q", c.source, f.Evidence)
			}
		}
		if n != c.ofOneRule {
			t.Errorf("%s: %d findings of %s: %v", c.source, n, c.rule, out.Findings)
		}
	}
	out := inspectProgram(t, palisade.Program{Language: palisade.Dockerfile, Name: "p", Source: []byte("FROM a:1\nRUN ls\n")})
	if f, ok := has(out, "sh-process"); !ok || f.Evidence != "in RUN, line 1" {
		t.Errorf("%+v", f)
	}
}
