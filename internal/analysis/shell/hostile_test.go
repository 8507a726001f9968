package shell

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"palisade/internal/analysis"
)

const (
	large = 256 << 10
	// patience is for one text.
	patience = 2 * time.Second
)

// fill repeats a text up to the size of the largest program.
func fill(s string) string { return strings.Repeat(s, large/len(s)) }

// bombs nest each construct as deep as the largest program holds.
func bombs() map[string]string {
	out := map[string]string{}
	for _, open := range []string{
		"(", "{ ", "[[ (", "((", "$(", "`", "${", "${x:-", "$((", "$[", "\"$(", "\"${x:-", "<(", ">(", "a[", "a[$(", "x=(", "if ", "if :; then ", "while ", "until :; do ",
		"for i in a; do ", "case a in a) ", "case $(", "select i in a; do ", "f() { ", "function f { ", "! ", "time ", "coproc ", "{ { ( ( ", "[[ ! ", "[[ a && (", "((-", "((!", "((a?",
		"((a=", "((a**", "(($((", "let a=", "eval '", "x=\"$(echo ", "@(", "!(", "+(a|", "echo {a,", "cat <<E\n$(", "<<E\n", "<<-E\n", "a | ", "a && ", "a || ", "a |& ", "$'", "$\"", "((a+(", "[ ",
		"if :; then :; elif ", "\\`", "${!", "${#", "${x/", "${x#", "${x:", "${x[", "declare x=(", "export x=$(", "${x@", "((1,", "(((", "$(((", "$( (", "$(<", "{",
	} {
		out["nest "+open] = fill(open)
	}
	for open, close := range map[string]string{
		"(": ")", "{ ": "; }", "$(": ")", "${x:-": "}", "$((": "))", "((": "))", "<(": ")", "if :; then ": "; fi", "while :; do ": "; done", "a[": "]", "\"$(": ")\"", "((1+(": "))",
		"case a in a) ": " ;; esac", "f() { ": "; }", "((-(": "))", "[[ ! ( ": " ) ]]", "${x/": "}", "[[ ( ": " ) ]]",
	} {
		for _, n := range []int{150, 1000, large / (len(open) + len(close))} {
			out[fmt.Sprintf("balanced %s %d", open, n)] = strings.Repeat(open, n) + " a " + strings.Repeat(close, n)
		}
	}
	return out
}

// traps are quick to write and slow to read, unless work is bounded.
func traps() map[string]string {
	doubling := "x=aaaaaaaa\n"
	for range 60 {
		doubling += "x=$x$x\n"
	}
	calls := "f0() { rm x; }\n"
	for i := 1; i < 60; i++ {
		calls += fmt.Sprintf("f%d() { f%d; f%d; }\n", i, i-1, i-1)
	}
	branches := ""
	for i := range 200 {
		branches += fmt.Sprintf("if [ $a ]; then x=$x%d; else x=$x.; fi\n", i)
	}
	loops := strings.Repeat("for i in {1..60}; do\n", 12) + "rm $i\n" + strings.Repeat("done\n", 12)
	return map[string]string{
		"doubling":        doubling,
		"calls":           calls + "f59\n",
		"branches":        branches + "$x",
		"loops":           loops,
		"whiles":          strings.Repeat("while read x; do\n", 100) + "rm $x\n" + strings.Repeat("done\n", 100),
		"braces":          "echo " + strings.Repeat("{a,b}", 60),
		"ranges":          "echo {1..1000000000}{1..1000000000}",
		"ranges of words": "rm " + fill("{1..999999} "),
		"recursion":       "f() { f; f; f; }; f",
		"mutual":          "f() { g; g; }; g() { f; f; }; f",
		"eval":            "x='eval \"$x\"; eval \"$x\"'; eval \"$x\"",
		"eval doubling":   "x='x=\"$x$x\"; eval \"$x\"'; eval \"$x\"",
		"functions":       fill("f() { f; g; }; g() { f; }; f;\n"),
		"fork bomb":       ":(){ :|:& };:",
		"arguments":       "rm " + fill("a "),
		"one word":        "rm " + fill("a"),
		"assignments":     fill("x=$x$y;"),
		"variables":       fill("$x"),
		"quoted":          "echo \"" + fill("$x ") + "\"",
		"pipes":           "a" + fill("|a"),
		"ands":            "a" + fill("&&a"),
		"semicolons":      fill("a;"),
		"commands":        fill("rm x\n"),
		"many facts":      fill("rm $RANDOM x y z\n"),
		"backslashes":     "echo " + fill("\\"),
		"heredocs":        fill("cat <<E\nE\n"),
		"open heredocs":   "cat " + strings.Repeat("<<E ", 30_000) + "\n" + strings.Repeat("E\n", 30_000),
		"substitutions":   fill("$(a)"),
		"case":            "case x in " + fill("a) b;; ") + "esac",
		"patterns":        "x=" + strings.Repeat("a", 4000) + "; " + strings.Repeat("y=${x%%*a*a*a*b};", 2000),
		"replacements":    "x=" + strings.Repeat("a", 4000) + "; " + strings.Repeat("x=${x//a/aa};", 2000),
		"globs":           fill("/*/?[a] "),
		"arrays":          "a=(" + fill("x ") + ")\n" + strings.Repeat("a+=(\"${a[@]}\")\n", 40) + "rm \"${a[@]}\"",
		"indices":         fill("a[1]=x;"),
		"printf":          "printf '%s' {1..9999} " + fill("x "),
		"long format":     "printf '" + fill("%s") + "' a",
		"subshells":       fill("(a)"),
		"functions of 1k": "f() { " + strings.Repeat("x=$x$1;", 1000) + "}\n" + strings.Repeat("f $RANDOM\n", 5000),
		"locals":          "f() { local " + strings.Repeat("a ", 10_000) + "; }\n" + strings.Repeat("f\n", 1000),
		"scopes":          strings.Repeat("v=1;", 5000) + strings.Repeat("if a; then b=$b; fi;", 5000),
		"many variables":  manyVariables(),
		"sed":             "sed '" + fill("s/a/b/;") + "'",
		"awk":             "awk '" + fill("{system(\"a\")}") + "'",
		"cron":            "crontab - <<'E'\n" + fill("* * * * * a\n") + "E",
		"xargs":           "printf '" + fill("a ") + "' | xargs rm",
		"nested shells":   strings.Repeat("sh -c \"", 100) + "rm x" + strings.Repeat("\"", 100),
		"wrappers":        strings.Repeat("env ", 5000) + "rm x",
		"unicode":         fill("é"),
		"tabs":            fill("\t\n"),
		"comments":        fill("# x\n"),
		"base64":          "echo " + fill("QUJD") + " | base64 -d | base64 -d | sh",
		"tr":              "echo " + fill("a") + " | tr a-z b-za | tr a-z b-za | sh",
	}
}

func manyVariables() string {
	var b strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&b, "v%d=1\n", i)
	}
	b.WriteString("while read x; do\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "v%d=$v%d$x\n", i, i+1)
	}
	return b.String() + "done\n"
}

// TestHostile reads texts that are made to overflow, to hang or to eat memory:
// each is read, or refused, in time.
func TestHostile(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20)) // as in the process that reads
	for _, table := range []map[string]string{bombs(), traps()} {
		for name, src := range table {
			before := spent(t)
			_, err := Read(analysis.Text{Name: "p", Source: src})
			if took := spent(t) - before; took > patience {
				t.Errorf("%s: %v (%v)", name, took, err)
			}
			if unbalanced := strings.HasPrefix(name, "balanced ") && strings.HasSuffix(name, " 1000"); unbalanced && err == nil {
				t.Errorf("%s: read", name)
			}
		}
	}
}

// spent is the time that this process computed: how long something took on a
// machine with other work to do says nothing.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func TestRefused(t *testing.T) {
	for name, src := range map[string]string{
		"nul": "ls\x00", "not UTF-8": "ls \xff", "open quote": "ls 'x", "open document": "cat <<E\nx", "half": "if true; then", "zsh": "print -l ${(f)x}",
	} {
		r, err := Read(analysis.Text{Name: "p", Source: src})
		if _, ok := errors.AsType[*analysis.SyntaxError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
		if r.Canonical != nil || r.Facts != nil {
			t.Errorf("%s: a part was read", name)
		}
	}
	if _, err := Read(analysis.Text{Source: strings.Repeat("(", 5000)}); !errors.Is(err, errDeep) {
		t.Errorf("deep: %v", err)
	}
}
