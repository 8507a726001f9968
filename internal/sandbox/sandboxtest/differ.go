package sandboxtest

import (
	"strings"
	"testing"

	"palisade"
)

// differing are programs that other readers of Python read differently than
// CPython does. Each is either refused before a byte of it runs, or read as the
// interpreter reads it: then it prints what it prints in a plain interpreter.
var differing = []struct{ name, src, out string }{
	// What bytes mean.
	{"lone carriage return", "# harmless\rprint('hidden')\n", "hidden\n"},
	{"utf-7 cookie", "# coding: utf-7\n+AHAAcgBpAG4AdAAoACcARQBTAEMAQQBQAEUARAAnACk-\n", ""},
	{"cookie in line 2", "\n# -*- coding: raw_unicode_escape -*-\n#\\u000aprint('ESCAPED')\n", ""},
	{"unicode_escape cookie", "# coding: unicode_escape\n#\\nprint('ESCAPED')\n", ""},
	{"shift_jis cookie", "# coding: shift_jis\nprint('\x83\x5c')\n", ""},
	{"utf-8 cookie", "# coding: utf-8\nprint('é')\n", "é\n"},
	{"NUL", "print('ESCAPED')\n\x00\n", ""},
	{"not UTF-8", "print('ESCAPED \xff')\n", ""},
	{"byte order mark", "\xef\xbb\xbfprint('mark')\n", "mark\n"},
	{"mark in mid-file", "x = 1\n\xef\xbb\xbfprint('ESCAPED')\n", ""},
	// Names.
	{"compatibility letters", "ｐｒｉｎｔ('wide')\n", "wide\n"},
	{"compatibility attribute", "import sys\nsys.ſtdout.write('long s\\n')\n", "long s\n"},
	{"two spellings of one name", "ﬁ = 1\nprint(fi)\n", "1\n"},
	// Grammar that looks like something else.
	{"type is a name", "class C: pass\nx = C()\ntype(x).a = 'set'\nprint(C.a)\n", "set\n"},
	{"type is subscripted", "d = {'k': int}\ntype(d)\nprint(type(d)['x'] if 0 else 'sub')\n", "sub\n"},
	{"annotation calls", "def f(): print('called'); return int\nx: f()\n", "called\n"},
	{"dotted pattern", "class E: a = 1\nmatch 1:\n    case E.a: print('dotted')\n", "dotted\n"},
	{"lambda at the start", "a, f = 1, lambda: print('lambda')\nf()\n", "lambda\n"},
	{"walrus or format", "x = 5\nprint(f'{x:=3}|')\n", "  5|\n"},
	{"walrus in format", "print(f'{(y:=7)}', y)\n", "7 7\n"},
	{"raw backslashes", "print(r'\\\\')\n", "\\\\\n"},
	{"starred call over lines", "def f(*a): print(*a)\nf(1, *[2]\n)\n(3)\n", "1 2\n"},
	{"chained strings", "print('a' 'b' f'{1}' \"c\")\n", "ab1c\n"},
	{"soft keywords", "match = case = type = _ = 1\nprint(match + case)\n", "2\n"},
	{"nested quotes", "d = {'k': 'v'}\nprint(f\"{d['k']}\")\n", "v\n"},
	{"name escapes", "print('\\N{LATIN SMALL LETTER A}\\x62\\u0063\\U00000064\\145')\n", "abcde\n"},
	// Indentation.
	{"deep indentation", "if 1:\n" + strings.Repeat(" ", 257) + "def f():\n" + strings.Repeat(" ", 258) + "pass\nprint('outside')\n", "outside\n"},
	{"tabs and spaces", "if 1:\n        x = 1\n\tprint('tab')\n", ""},
	{"form feed", "if 1:\n  x = 1\n\f  print('feed')\n", "feed\n"},
	{"backslash in indentation", "if 1:\n  \\\n  print('joined')\n", "joined\n"},
	{"no newline at the end", "if 1:\n  print('end')", "end\n"},
	// What is not Python, or not this Python.
	{"backquotes", "print(`1`)\n", ""},
	{"print statement", "print 'ESCAPED'\n", ""},
	{"exec statement", "exec 'print(\"ESCAPED\")'\n", ""},
	{"diamond", "print(1 <> 2)\n", ""},
	{"long integer", "print(1L)\n", ""},
	{"zero width space", "pri\u200bnt('ESCAPED')\n", ""},
	{"return outside", "print('ESCAPED')\nreturn\n", ""},
	{"await outside", "print('ESCAPED')\nawait x\n", ""},
	{"nonlocal at the top", "print('ESCAPED')\nnonlocal x\n", ""},
	{"assignment to a call", "print('ESCAPED')\nf() = 1\n", ""},
	{"late future", "print('ESCAPED')\nfrom __future__ import annotations\n", ""},
	{"unknown future", "from __future__ import braces\n", ""},
	{"too many brackets", "print('ESCAPED')\nx = " + strings.Repeat("(", 300) + strings.Repeat(")", 300) + "\n", ""},
	{"too deep", "print('ESCAPED')\nx = " + strings.Repeat("-", 100_000) + "1\n", ""},
	{"long integer literal", "x = " + strings.Repeat("9", 5000) + "\nprint('ESCAPED')\n", ""},
	{"long hexadecimal", "x = 0x" + strings.Repeat("f", 5000) + "\nprint('hex')\n", "hex\n"},
	{"lone surrogate", "print(len('\\ud800'))\n", "1\n"},
	{"annotations deferred", "from __future__ import annotations\nx: undefined\nprint('deferred')\nx if 0 else None\n", "deferred\n"},
}

// differentials: no program is read one way and run another.
func (s *suite) differentials(t *testing.T) {
	lenient := newRig(t, s.sandbox, preparer(s.Python), reader{t: t, version: s.Python, lenient: true})
	for _, c := range differing {
		t.Run(c.name, func(t *testing.T) {
			_, r, err := lenient.run(t.Context(), submission(c.src), s.verdict(call{}), nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Python.Minor > 0 && s.Python.Minor < 10 && strings.Contains(r.Reason, "judged: map[]") {
				return // match and its like are newer: both refuse
			}
			if c.out == "" {
				want(t, r, palisade.Refused)
				if r.MayHaveRun || !strings.Contains(r.Reason, "differential") {
					t.Errorf("may have run: %v; reason %q", r.MayHaveRun, r.Reason)
				}
			} else {
				want(t, r, palisade.OK)
			}
			if stdout(r) != c.out {
				t.Errorf("stdout %q, want %q (stderr %q)", stdout(r), c.out, stderr(r))
			}
		})
	}
}
