package python

import (
	"strings"
	"testing"
)

// TestDifferentialClasses takes the programs with which other parsers were led
// to see something else than CPython runs, and looks for what they missed.
func TestDifferentialClasses(t *testing.T) {
	for _, c := range []struct{ name, src, holds string }{
		// B: names in NFKC.
		{"call in NFKC", "ｅｖａｌ('x')", `"id":"eval"`},
		{"attribute in NFKC", "a.ｓｙｓｔｅｍ('x')", `"attr":"system"`},
		{"import in NFKC", "import ｏｓ", `"name":"os"`},
		{"from in NFKC", "from ｏｓ import ｓｙｓｔｅｍ as ａ", `"name":"system","asname":"a"`},
		{"keyword in NFKC", "f(ａ=1)", `"arg":"a"`},
		// C: grammar that is misread without an error.
		{"type call", "type(x).a = v", `"_type":"Assign"`},
		{"type call index", "type(d)[k] = v", `"_type":"Subscript"`},
		{"annotation attribute", "x: a[0].b", `"annotation":{"_type":"Attribute"`},
		{"pattern attribute", "match x:\n case a.b: pass", `"attr":"b"`},
		{"lambda in a tuple", "a, lambda: f()", `"_type":"Lambda"`},
		{"walrus or specification", "f'{x:=10}'", `"format_spec":{"_type":"JoinedStr"`},
		{"walrus in parentheses", "f'{(x:=f())}'", `"_type":"NamedExpr"`},
		{"starred call over lines", "f(*a.b()\n(c))", `"_type":"Starred"`},
		{"starred attribute", "print(1, *a.b.c())", `"_type":"Starred"`},
		{"raw backslashes", `x = r"\\"`, `"value":"\\\\"`},
		{"print is a name", "print", `"id":"print"`},
		{"exec is a call", "exec('a')", `"id":"exec"`},
		{"match is a call", "match(x)", `"func":{"_type":"Name"`},
		{"with in parentheses", "with (a, b): pass", `"items":[{"_type":"withitem"`},
		{"decorator", "@a[0].b\ndef f(): pass", `"decorator_list":[{"_type":"Attribute"`},
		{"nested f-string", "f\"{f'{a()}'}\"", `"_type":"Call"`},
		{"escape", `getattr(o, "\x73\u0079\163\N{LATIN SMALL LETTER T}em")`, `"value":"system"`},
		{"continuation in a name", "o\\\n.system", `"attr":"system"`},
		{"joined literals", "'sys' 'tem'", `"value":"system"`},
		{"global after a form feed", "if a:\n\f b()", `"id":"b"`},
		// D: indentation.
		{"column 257", "def f():\n" + strings.Repeat(" ", 257) + "a\nz()", `"_pos":[3,0,3,3]`},
		{"column 65537", "def f():\n" + strings.Repeat(" ", 65537) + "a\nz()", `"_pos":[3,0,3,3]`},
		{"tabs to eight", "if a:\n\tb\n\tc", `"_pos":[3,1,3,2]`},
		{"form feed", "if a:\n  b\n\f  c", `"id":"c"`},
	} {
		if got := jsonOf([]byte(c.src), Version{}); !strings.Contains(got, c.holds) {
			t.Errorf("%s: %q gives %.600s, want %s in it", c.name, c.src, got, c.holds)
		}
	}
	// E: the grammar of one version only; F: limits; G: never Python 3.
	for _, c := range []struct {
		src   string
		first int // the version that takes it; 0: none does
	}{
		{"f'{\"\\n\".join(a)}'", 12}, {"f'{'a'}'", 12}, {"type X = int", 12}, {"def f[T](): pass", 12},
		{"class A[T = int]: pass", 13}, {"t'{a}'", 14}, {"try: a\nexcept A, B: b", 14},
		{"try: a\nexcept* A: b", 11}, {"a[*b]", 11}, {"match a:\n case 1: b", 10}, {"with (a as b): c", 9},
		{"@a[0]\ndef f(): pass", 9}, {"`a`", 0}, {"exec 'a'", 0}, {"print 'a'", 0},
		{"a <> b", 0}, {"1L", 0}, {"0777", 0}, {"a\u200b", 0}, {"\ufeffa", 0}, {"a = \ufeff1", 0}, {"except A, B: pass", 0},
		{"raise A, 'b'", 0}, {"ur'a'", 0}, {"def f((a, b)): pass", 0}, {"lambda (a, b): a", 0}, {"import (", 0},
		{"\\x66oo = 1", 0}, {"a $ b", 0}, {"if a:\n        b\n\tc", 0}, {"bar.\nbaz", 0}, {"from __future__ import braces", 0},
	} {
		for minor := oldestMinor; minor <= newestMinor; minor++ {
			_, err := Parse([]byte(c.src), Options{Version: Version{3, minor}})
			if want := c.first > 0 && minor >= c.first; (err == nil) != want {
				t.Errorf("3.%d: %q: %v, want accepted: %v", minor, c.src, err, want)
			}
		}
	}
	// A continuation where only white space follows does not hide a line.
	if got := jsonOf([]byte("x = 1 # \\\nsystem()"), Version{}); !strings.Contains(got, `"id":"system"`) {
		t.Errorf("a comment hides a line: %s", got)
	}
}

// TestIdentifiers compares what may be in a name with the interpreter, over all
// code points that its Unicode knows.
func TestIdentifiers(t *testing.T) {
	o := startOracle(t)
	if o.version.Minor != 11 {
		t.Skip("Unicode 14 is that of 3.11")
	}
	differ := 0
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if r >= 0xd800 && r <= 0xdfff || r == 0xfeff {
			continue // no characters; and CPython drops a byte order mark
		}
		// Beyond these nothing but private use and variation selectors.
		if r > 0x323ff && r < 0xe0000 || r > 0xe01ff || r >= 0xe000 && r < 0xf900 {
			continue
		}
		// The letters in between are blocks of one kind: every 64th will do.
		if (r > 0x3400 && r < 0x9f00 || r > 0xac00 && r < 0xd700 || r > 0x17000 && r < 0x18c00 || r > 0x20000 && r < 0x31300) && r%64 != 0 {
			continue
		}
		for _, src := range []string{string(r), "a" + string(r)} {
			_, theirs := o.ask(t, "digest", []byte(src))
			_, err := Parse([]byte(src), Options{Version: o.version})
			if (err == nil) != theirs {
				if differ++; theirs {
					t.Errorf("U+%04X: refused (%v), CPython accepts %q", r, err, src)
				}
			}
		}
	}
	t.Logf("%d programs are accepted for letters newer than Unicode 14", differ)
	if differ > 12_000 {
		t.Errorf("too many")
	}
}
