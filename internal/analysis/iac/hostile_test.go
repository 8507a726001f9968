package iac

import (
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"palisade"
	"palisade/internal/analysis"
)

// size is that of the largest text that is read by default.
const size = 256 << 10

func fill(unit string) string { return strings.Repeat(unit, size/len(unit)) }

// doubling is a chain of locals each of which is the one before twice.
func doubling(n int, form string) string {
	var b strings.Builder
	b.WriteString("locals {\n  x0 = \"lol\"\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  x%d = "+form+"\n", i, i-1, i-1)
	}
	b.WriteString("}\n")
	return b.String()
}

func aliases(n int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x]\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return b.String()
}

func numbered(form string) string {
	var b strings.Builder
	for i := 0; b.Len() < size-100; i++ {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

const pods = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"

// hostile texts, each of the largest size or of a depth that overflows a
// recursive parser. None may crash the reader or take more than two seconds.
var hostile = map[palisade.Language]map[string]string{
	palisade.Terraform: {
		"brackets": "a = " + fill("["), "braces": "a = " + fill("{a="), "parens": "a = " + fill("("), "blocks": fill("a {\n"),
		"templates": "a = " + fill("\"${"), "directives": "a = \"" + fill("%{if x}"), "bangs": "a = " + fill("!"), "minus": "a = " + fill("- "),
		"conditionals": "a = 1" + fill("?1:1"), "conditionals left": "a = " + fill("1?") + fill(":1"), "sums": "locals {\n a = 1" + fill("+1") + "\n}",
		"dots": "locals {\n a = b" + fill(".c") + "\n}", "indexes": "locals {\n a = b" + fill("[0]") + "\n}", "splats": "locals {\n a = b" + fill("[*]") + "\n}",
		"nested indexes": "locals {\n a = " + fill("b[") + "\n}", "for": "locals {\n a = " + fill("[for x in ") + "\n}", "calls": "locals {\n a = " + fill("f(") + "\n}",
		"heredoc": "locals {\n a = <<E\n" + fill("xx\n") + "E\n}\n", "heredoc indented": "locals {\n a = <<-E\n" + fill(" x\n") + " E\n}\n",
		"heredocs": fill("a = <<E\nE\n"), "heredoc open": "a = <<E\n" + fill("x"), "quotes": fill("\""), "errors": fill("= {\n"), "comments": fill("/*"),
		"interpolations": "locals {\n a = \"" + fill("${x}") + "\"\n}", "unclosed": "a = \"${" + fill("a"), "lines": fill("\n"), "one line": "a = \"" + fill("x") + "\"",
		"doubling": doubling(60, "\"${local.x%d}${local.x%d}\""), "doubling lists": doubling(60, "[local.x%d, local.x%d]"),
		"doubling concat": doubling(60, "concat([local.x%d], [local.x%d])"), "doubling json": doubling(60, "join(\",\", [local.x%d, local.x%d])"),
		"replace":             "locals {\n a = replace(replace(\"" + strings.Repeat("a", 1000) + "\", \"a\", \"" + strings.Repeat("b", 1000) + "\"), \"b\", \"" + strings.Repeat("c", 1000) + "\")\n}",
		"doubling conditions": doubling(60, "var.x ? local.x%d : [local.x%d, 1]"),
		"cycle":               "locals {\n a = local.b\n b = local.a\n}\nvariable \"v\" {\n default = var.v\n}", "chain": doubling(5000, "local.x%d == local.x%d"),
		"for each":   "resource \"a\" \"b\" {\n for_each = [" + fill("1,") + "]\n c = each.value\n d = \"${each.value}${each.value}\"\n}",
		"attributes": "locals {\n" + numbered("a%d = 1\n") + "}", "same attributes": "locals {\n" + fill("a = 1\n") + "}",
		"choices": "locals {\n a = \"" + strings.Repeat("${x ? 1 : 2}", 900) + "\"\n}",
		"json":    "{" + fill(`"a":{`), "json lists": `{"a":` + fill("["), "json template": `{"locals":{"a":"` + fill("${(") + `"}}`,
		"json bang": `{"locals":{"a":"${` + fill("!") + `"}}`, "json strings": `{"locals":{"a":[` + fill(`"${x}",`) + `1]}}`,
		"json docs":   "resource \"a\" \"b\" {\n p = \"" + strings.Repeat(`{\"a\":[`, 20000) + "\"\n}",
		"nested docs": "resource \"a\" \"b\" {\n p = jsonencode(" + strings.Repeat("[", 190) + strings.Repeat("]", 190) + ")\n}",
		"secrets":     "locals {\n" + numbered("a%d_password = \"hunter22\"\n") + "}", "dollars": "locals {\n a = \"" + fill("$") + "\"\n}",
		"numbers": "locals {\n a = " + fill("9") + "\n}", "exponent": "locals {\n a = 1e999999999\n b = 1e99999 * 2\n}", "bad": fill("\x01"), "escapes": "locals {\n a = \"" + fill(`\u0000`) + "\"\n}",
		"user data": "resource \"a\" \"b\" {\n user_data = \"#cloud-config\\n" + strings.Repeat("[", 50000) + "\"\n}",
	},
	palisade.Kubernetes: {
		"flow": "a: " + fill("["), "flow maps": fill("{a: "), "items": fill("- "), "keys": fill("? "), "anchors": fill("- &a b\n- *a\n"), "docs": fill("---\na: b\n"),
		"aliases": aliases(60), "alias of itself": "a: &a [*a]\n", "merge of itself": "a: &a\n  <<: *a\n", "indent": indent(600), "deep items": indentItems(700),
		"one line": "a: \"" + fill("x"), "escapes": "a: \"" + fill("\\n"), "unique": numbered("k%d: v\n"), "same": fill("a: b\n"), "comments": fill("# c\n"),
		"literal": "a: |\n" + fill("  x\n"), "folded": "a: >\n" + fill("  x\n\n"), "tags": fill("!!str "), "directives": fill("%YAML 1.1\n"), "open": "a: '" + fill("x"),
		"containers": pods + "  containers:\n" + fill("  - {image: a, env: [{name: PASSWORD, value: hunter22}]}\n"),
		"lists":      strings.Repeat("{apiVersion: v1, kind: List, items: [", 190), "json": fill(`{"a":`), "json list": fill("["),
		"substitution": pods + "  containers:\n  - command: [\"" + strings.Repeat("$(A)", 30000) + "\"]\n    env: [{name: A, value: " + strings.Repeat("$(A)", 30000) + "}]\n",
		"substitute":   pods + "  containers:\n  - command: [\"" + fill("$(") + "\"]\n",
		"merges":       "a: &a {b: c}\n" + numbered("c%d: {<<: [*a, *a, *a]}\n"), "colons": fill(":"), "tabs": fill("\t"), "bad": fill("\x01"), "binary": "a: !!binary " + fill("QQ=="),
		"widening": widening(40),
	},
	palisade.Dockerfile: {
		"continuations": "FROM a\nRUN " + fill("\\\n"), "comments": fill("# x\n"), "runs": "FROM a\n" + fill("RUN x\n"), "args": "FROM a\n" + numbered("ARG A%d=1\n"),
		"dollars": "FROM " + fill("$"), "braces": "FROM " + fill("${A:-"), "braces closed": "FROM " + strings.Repeat("${A:-", 20000) + strings.Repeat("}", 20000),
		"quotes": "FROM a\nENV a=" + fill("'\""), "json": "FROM a\nCMD " + fill("["), "json strings": "FROM a\nCMD [" + fill("\"a\",") + "\"a\"]",
		"heredocs": "FROM a\nRUN " + fill("<<A "), "heredoc open": "FROM a\nRUN <<A\n" + fill("x\n"), "doubling": dockerDoubling(60), "words": "FROM a\nEXPOSE " + fill("1 "),
		"stages": numbered("FROM a AS s%d\n"), "onbuild": "FROM a\n" + fill("ONBUILD "), "flags": "FROM a\nRUN " + fill("--mount=x "), "env use": dockerUses(),
		"one word": fill("x"), "backslashes": "FROM a\nRUN " + fill("\\"), "directives": fill("# escape=`\n"), "copies": "FROM a\n" + fill("COPY --from=b c d\n"), "blank": fill("\n"),
	},
}

// indent nests maps so deep that each line is an indent longer.
func indent(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func indentItems(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "-\n")
	}
	return b.String()
}

// widening merges maps that grow with each line.
func widening(n int) string {
	var b strings.Builder
	b.WriteString("m0: &m0 {a: b}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "m%d: &m%d\n  <<: *m%d\n  k%d: [*m%d, *m%d]\n", i, i, i-1, i, i-1, i-1)
	}
	return b.String()
}

func dockerDoubling(n int) string {
	var b strings.Builder
	b.WriteString("FROM a\nENV A0=lol\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "ENV A%d=$A%d$A%d\n", i, i-1, i-1)
	}
	return b.String()
}

// dockerUses has many variables and lines that use all of them.
func dockerUses() string {
	var set, use strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&set, "ENV A%d=%s\n", i, strings.Repeat("x", 20))
		fmt.Fprintf(&use, "$A%d ", i)
	}
	return "FROM a\n" + set.String() + strings.Repeat("RUN "+use.String()+"\n", 20)
}

func TestHostile(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20)) // as the child's that reads in earnest
	for language, cases := range hostile {
		for name, source := range cases {
			source = source[:min(len(source), size)]
			start := processor(t)
			got, err := Read(analysis.Text{Language: language, Name: "hostile", Source: source})
			took := processor(t) - start
			if took > 2*time.Second {
				t.Errorf("%s, %s: %d bytes took %s", language, name, len(source), took)
			} else if took > 500*time.Millisecond {
				t.Logf("%s, %s: %d bytes took %s", language, name, len(source), took)
			}
			if err != nil && len(got.Facts) > 0 {
				t.Errorf("%s, %s: an error and facts", language, name)
			}
			if len(got.Facts) > maxFacts {
				t.Errorf("%s, %s: %d facts", language, name, len(got.Facts))
			}
			total := 0
			for _, e := range got.Embedded {
				total += len(e.Source)
			}
			if total > 16*maxText {
				t.Errorf("%s, %s: %d bytes of embedded programs", language, name, total)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for language, cases := range hostile {
		for _, source := range cases {
			f.Add(string(language), source[:min(len(source), 300)])
		}
	}
	for _, list := range examples() {
		for _, e := range list {
			f.Add(string(e.language), e.source)
		}
	}
	f.Fuzz(func(t *testing.T, language, source string) {
		if len(source) > 4096 || strings.Contains(source, gap) {
			return
		}
		text := analysis.Text{Language: palisade.Language(language), Name: "fuzz", Source: source}
		start := processor(t)
		a, errA := Read(text)
		if took := processor(t) - start; took > 2*time.Second {
			t.Errorf("it took %s", took)
		}
		b, errB := Read(text)
		if fmt.Sprint(a, errA) != fmt.Sprint(b, errB) {
			t.Error("reading twice differs")
		}
		for _, fact := range a.Facts {
			if strings.Contains(fact.Argument+fact.Symbol+fact.Evidence, gap) {
				t.Errorf("a gap is left in %+v", fact)
			}
			if fact.Line < 0 || fact.Column < 0 {
				t.Errorf("no place: %+v", fact)
			}
		}
		for _, e := range a.Embedded {
			if strings.Contains(e.Source, gap) {
				t.Errorf("a gap is left in %+v", e)
			}
		}
	})
}

// processor is the time that this process has computed: others on the machine
// do not count.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
