package perlre

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// find returns what an expression matches in a text, groups in brackets.
func find(t *testing.T, expr, text string) string {
	t.Helper()
	re, err := Compile(expr)
	if err != nil {
		t.Fatal(err)
	}
	loc, ok := re.Find(text, 0, func(int) {})
	if !ok {
		t.Fatalf("%s: no answer", expr)
	}
	return show(text, loc)
}

func show(text string, loc []int) string {
	if loc == nil {
		return "none"
	}
	out := text[loc[0]:loc[1]]
	for i := 2; i < len(loc); i += 2 {
		if loc[i] < 0 {
			out += "(-)"
			continue
		}
		out += "(" + text[loc[i]:loc[i+1]] + ")"
	}
	return out
}

// TestPerl holds what Go's expressions do not know to PCRE's documentation.
func TestPerl(t *testing.T) {
	for _, c := range []struct{ expr, text, want string }{
		{`foo(?!bar)`, "foobar foobaz", "foo"},
		{`foo(?=baz)`, "foobar foobaz", "foo"},
		{`(?<!a)b`, "ab b", "b"},
		{`(?<=a|bc)d`, "d bcd", "d"},
		{`(?<!html)$`, "x.html", "none"},
		{`.*(?<!html)$`, "x.txt", "x.txt"},
		{`^(.)\1+$`, "xxxx", "xxxx(x)"},
		{`^(.)\1+$`, "xxyx", "none"},
		{`(?P<q>["']).*?(?P=q)`, `a "b' c" d`, `"b' c"(")`},
		{`(?<q>['"])\k<q>`, `''`, `''(')`},
		{`(?i)(a)\1`, "aA", "aA(a)"},
		{`(?>a+)ab`, "aaab", "none"},
		{`a++b`, "aaab", "aaab"},
		{`a*+a`, "aaa", "none"},
		{`(?:a|ab)(?:c|bcd)(d*)`, "abcd", "abcd()"},
		{`(?=(a+))a*b\1`, "aaab aab", "none"},
		{`(?=(a+))`, "baa", "(aa)"},
		{`(a)|(b)\2`, "bb", "bb(-)(b)"},
		{`(?!.*\.\.)^[a-z.]+$`, "a.b.c", "a.b.c"},
		{`(?!.*\.\.)^[a-z.]+$`, "a..b", "none"},
		{`(?x) a b # c` + "\n" + ` d (?=e)`, "abde", "abd"},
		{`(?m)^b(?!c)$`, "a\nb\nc", "b"},
		{`(?s)a.b(?!c)`, "a\nb", "a\nb"},
		{`(?i:A)b(?!c)`, "ab aB", "ab"},
		{`[[:alpha:]]+(?!\d)\b`, "ab1 cd", "cd"},
		{`[^\W\d_]+(?=\()`, "f1(x) gg(y)", "gg"},
		{`a{2,3}?(?!b)`, "aaaab", "aa"},
		{`x{,2}(?!y)`, "x{,2}", "x{,2}"},
		{`(a*)*(?!b)`, "aaa", "aaa()"},
		{`(?:)*(?!b)`, "a", ""},
		{`\x41\x{42}(?!c)`, "ABd", "AB"},
		{`é(?=ü)`, "éü", "é"},
		{`\d+(?=%)`, "5 10%", "10"},
		{`a(?#comment)b(?!c)`, "ab", "ab"},
		{`\Aab\Z(?!x)`, "ab\n", "ab"},
		{`(?-i)a(?!b)`, "a", "a"},
		{`(?:(?:(?:(?:(?:){1000}){1000}){1000}){1000}){1000}a(?!b)`, "a", "a"},
		{`(?<=a|ab)c`, "abc", "c"},
		{`(?<=(a|ab)(?<=b))c`, "abc", "c(ab)"},
		{`(?<=^|,)x`, "y,x", "x"},
	} {
		if got := find(t, c.expr, c.text); got != c.want {
			t.Errorf("%s in %q: %q, not %q", c.expr, c.text, got, c.want)
		}
	}
}

// TestLikeGo holds what both know to Go's own engine.
func TestLikeGo(t *testing.T) {
	texts := []string{"", "a", "ab", "aab", "abc\nabc", "foo.bar(baz)", "A-Z_09 az", "aaaaaaab", "é ü", "x=1, y = 22"}
	for _, expr := range []string{
		`a`, `a*`, `a+?b`, `(a|b)*c`, `[a-c]+`, `[^a]`, `\w+`, `\W`, `\s*=\s*(\d+)`, `(?i)A.B`, `^a`, `b$`, `(?m)^abc$`, `(?s).+`,
		`(a)(b)?`, `(?:a|ab)(c|bcd)?`, `a{1,2}`, `a{2,}`, `(?P<n>o+)`, `\bba`, `\.`, `[\d_-]+`, `()`, `(a+)+`, `(|a)*`, `x*`, `[[:digit:]]`, `é|ü`,
	} {
		want := regexp.MustCompile(expr)
		for _, text := range texts {
			w := "none"
			if loc := want.FindStringSubmatchIndex(text); loc != nil {
				w = show(text, loc)
			}
			if got := find(t, expr, text); got != w {
				t.Errorf("%s in %q: %q, not %q", expr, text, got, w)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, expr := range []string{
		"(", ")", "[", "[a", "[b-a]", "*", "a**b(", `\`, `\q`, `\1`, `(a)\2`, `(?P=x)`, "(?R)", "(?(1)a)", `\p{L}`, `\Qa\E`, "(?<=a*)b", `(?<=(a)\1)b`,
		"(?z)", "(?", "(?#", "a{2000}", "(a{500}){500}", "^*", "[[:x:]]", strings.Repeat("(", 60) + strings.Repeat(")", 60), strings.Repeat("a", 5000), "\xff", `\x{110000000}`,
	} {
		if _, err := Compile(expr); err == nil {
			t.Errorf("%.40q is taken", expr)
		}
	}
}

var errSpent = errors.New("spent")

// search counts steps up to a bound, and reports whether there was an end.
func search(re *Regexp, text string, limit int) (loc []int, err error) {
	defer func() {
		if v := recover(); v != nil {
			if e, ok := v.(error); !ok || !errors.Is(e, errSpent) {
				panic(v)
			}
			err = errSpent
		}
	}()
	loc, ok := re.Find(text, 0, func(n int) {
		if limit -= n; limit < 0 {
			panic(errSpent)
		}
	})
	if !ok {
		return nil, errSpent
	}
	return loc, nil
}

// TestHostile holds expressions that go back without end to the budget.
func TestHostile(t *testing.T) {
	for _, expr := range []string{`(a+)+(?!a)b`, `(a|aa)+(?=b)c`, `(?:(?=a*)a*)*b`, `(.*)(.*)(.*)(.*)\1\2\3\4x`, `((a?){50}){20}(?!b)c`, `(?<=a{0,255})b`, `(?!(a*)*b)c`} {
		re, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		loc, err := search(re, strings.Repeat("a", 20000), 200_000)
		if loc != nil {
			t.Errorf("%s: %v", expr, loc)
		}
		t.Log(expr, err)
	}
	re, err := Compile(`(?:a|b)*(?!c)`)
	if err != nil {
		t.Fatal(err)
	}
	if loc, err := search(re, strings.Repeat("ab", 100000), 10_000_000); err != nil || fmt.Sprint(loc) != "[0 200000]" {
		t.Error(loc, err)
	}
}

// FuzzFind holds any expression to an end, and where Go knows it, too, to the
// same answer.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{`(a|b)*c`, `(?i)[a-z]+(?!x)`, `(.)\1`, `a{1,3}?b`, `(?<=a)b|^c$`, `(?P<n>\w+)\s`, `(?x) a #b`} {
		f.Add(seed, "aabbcc xyz\n")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := Compile(expr)
		if err != nil {
			return
		}
		loc, err := search(re, text, 100_000)
		if err != nil {
			return
		}
		last := -1
		for i := 0; i < len(loc); i += 2 {
			if loc[i] >= 0 && (loc[i] > loc[i+1] || loc[i+1] > len(text)) && !strings.Contains(expr, "(?") {
				t.Errorf("%q in %q: %v", expr, text, loc)
			}
			last = max(last, loc[i])
		}
		if loc != nil && loc[0] < 0 {
			t.Errorf("%q in %q: %v", expr, text, loc)
		}
	})
}
