package js

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"palisade"
	"palisade/internal/analysis"
)

// hostile are texts that are made to use up a reader, each of at most 256 KiB.
func hostile() map[string]string {
	const size = 256 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	half := func(a, b string) string {
		n := size / (len(a) + len(b))
		return strings.Repeat(a, n) + strings.Repeat(b, n)
	}
	out := map[string]string{
		"open parentheses": fill("("), "open brackets": fill("["), "open braces": fill("{"), "open templates": fill("`${"),
		"parentheses": half("(", ")"), "brackets": half("[", "]"), "blocks": half("{", "}"), "objects": "x=" + half("{a:", "}"),
		"templates": half("`${", "}`"), "calls": half("f(", ")"), "indexes": half("a[", "]"), "arrows": fill("a=>"), "async arrows": fill("async a=>"),
		"functions": half("function f(){", "}"), "function expressions": half("(function(){", "})"), "classes": half("class A{a=", "}"),
		"class extends": half("class extends ", "{}"), "nots": fill("!"), "voids": fill("void "), "typeofs": fill("typeof "), "news": fill("new "),
		"minuses": fill("- "), "awaits": fill("await "), "yields": "function*g(){" + fill("yield ") + "}", "assignments": fill("a=") + "1",
		"conditionals": fill("a?b:") + "c", "nested conditionals": half("a?", ":b"), "powers": fill("a**") + "1", "ifs": fill("if(a)") + ";",
		"else ifs": fill("if(a);else ") + ";", "whiles": fill("while(a)") + ";", "labels": fill("a:") + ";", "commas": fill("a,") + "a", "arguments": "f(" + fill("a,") + ")", "properties": "x={" + fill("a:1,") + "}", "list": "x=[" + fill("a,") + "]",
		"sums": fill("a+") + "a", "strings": fill("'a'+") + "'a'", "ands": fill("a&&") + "a", "members": "a" + fill(".a"), "chained calls": "a" + fill("()"),
		"optional": "a" + fill("?.a"), "tagged": "a" + fill("``"), "variables": "", "declarations": fill("var a;"), "commented brackets": half("(/*)*/", ")"),
		"quoted brackets": half("(')',", ")"), "brackets in expressions": half("(/[)]/,", ")"), "brackets in templates": half("(`)`,", ")"),
		"regular expression": "/" + fill("(") + "/", "spreads": half("[...", "]"), "imports": half("import(", ")"), "patterns": "var " + half("[", "]") + "=1",
		"object patterns": "var " + half("{a:", "}") + "=1", "parameters": half("((a=", ")=>1)"), "switches": half("switch(a){case 1:", "}"),
		"trys": half("try{", "}catch{}"), "dos": fill("do ") + ";", "withs": fill("with(a)") + ";", "generics": "let a:" + half("A<", ">"),
		"types": "let a:" + half("{a:", "}"), "type parentheses": "let a:" + half("(", ")"), "arrays": "let a:A" + fill("[]"), "unions": "let a:A" + fill("|A"),
		"decorators": fill("@a ") + "class B{}", "namespaces": half("namespace A{", "}"), "escapes": "'" + fill(`\u0041`) + "'", "nul escapes": "'" + fill(`\0`) + "'",
		"one word": fill("a"), "slashes": fill("/ "), "backslashes": fill(`\`), "quotes": fill("'"), "html comments": fill("<!--\n"),
	}
	var b strings.Builder
	for i := 0; b.Len() < size-40; i++ {
		b.WriteString("var a" + formatNumber(float64(i)) + "=a" + formatNumber(float64(i+1)) + ";")
	}
	out["variables"] = b.String()
	b.Reset()
	for i := 0; b.Len() < size-60; i++ {
		n := formatNumber(float64(i))
		b.WriteString("function f" + n + "(x){return f" + formatNumber(float64(i+1)) + "(x+'a')}")
	}
	out["call chain"] = b.String()
	out["array of arrays"] = "x=[" + fill("[1],") + "]"
	out["array of objects"] = "x=[" + fill("{a:1},") + "];for(y of x)z=y"
	out["array of functions"] = "x=[" + fill("()=>1,") + "];for(y of x)y()"
	out["numbers"] = "x=[" + fill("1,") + "].map(c=>String.fromCharCode(c)).join('')"
	out["growing text"] = "let s='aaaaaaaa';" + fill("s=s+s;") + "eval(s)"
	out["growing array"] = "let s=[1];" + fill("s=[...s,...s];") + "f(...s)"
	out["inlined"] = "const a=x=>x;const b=x=>a(x)+a(x);const c=x=>b(x)+b(x);const d=x=>c(x)+c(x);" + fill("d(d(d('a')));")
	out["getters"] = "o={" + fill("get a(){return o.a},") + "}"
	out["prototypes"] = "a={};" + fill("a={__proto__:a};") + "a.b"
	out["repeat"] = fill("'a'.repeat(1e5).split('');")
	out["replace"] = fill("'aaaaaaaaaaaa'.replace(/(a*)*b/g,'c');")
	out["same name"] = "var " + fill("a,") + "a"
	out["all evals"] = fill("eval('1');")
	out["all reads"] = "fs=require('fs');" + fill("fs.readFileSync(a);")
	return out
}

// TestHostile: whatever the text, there is an answer in time, and no parser is
// given what would overflow it.
func TestHostile(t *testing.T) {
	// Of processor time, the collector's with it: what it tells apart is seconds from
	// hours, whatever machine this is and whoever else uses it.
	const most = 20 * time.Second
	for name, source := range hostile() {
		t.Run(name, func(t *testing.T) {
			language := palisade.JavaScript
			if strings.Contains(source[:min(len(source), 6)], "let a:") || name == "decorators" || name == "namespaces" {
				language = palisade.TypeScript
			}
			start := processor(t)
			_, err := Read(analysis.Text{Language: language, Name: "p", Source: source})
			took := processor(t) - start
			if took > most {
				t.Errorf("took %v: %v", took, err)
			}
			t.Log(took.Round(time.Millisecond), err)
		})
	}
}

// processor is the time that this process has computed.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestNesting: brackets of each kind up to the bound are read, beyond it they
// are refused before a parser sees them.
func TestNesting(t *testing.T) {
	for _, pair := range [][2]string{{"(", ")"}, {"[", "]"}, {"{", "}"}, {"`${", "}`"}} {
		middle := "1"
		for _, depth := range []int{maxNesting - 1, maxNesting + 1} {
			source := strings.Repeat(pair[0], depth) + middle + strings.Repeat(pair[1], depth)
			_, err := Read(analysis.Text{Language: palisade.JavaScript, Name: "p", Source: source})
			var deep *tooDeep
			if tooMany := depth > maxNesting; errors.As(err, &deep) != tooMany {
				t.Errorf("%d times %s: %v", depth, pair[0], err)
			}
		}
	}
}
