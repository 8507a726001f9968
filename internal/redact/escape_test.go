package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a = 1\n\tb\n", "a = 1\n\tb\n"},
		{"other scripts", "naïve 日本語 עברית 😀", "naïve 日本語 עברית 😀"},
		{"color", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"title and clipboard", "\x1b]0;x\x07\x1b]52;c;aGk=\x07", `\x1b]0;x\x07\x1b]52;c;aGk=\x07`},
		{"eight-bit introducer", "\u009b31m", `\u009b31m`},
		{"raw eight-bit introducer", "\x9b31m", `\x9b31m`},
		{"carriage return", "ok\rdenied", `ok\rdenied`},
		{"backspace and delete", "a\bb\x7f", `a\x08b\x7f`},
		{"nul", "a\x00b", `a\x00b`},
		{"bidi override", "a\u202eb\u202cc", `a\u202eb\u202cc`},
		{"bidi isolates and marks", "\u2066\u2069\u200e\u200f\u061c", `\u2066\u2069\u200e\u200f\u061c`},
		{"zero width", "pass\u200bword\u200d\u2060\ufeff", `pass\u200bword\u200d\u2060\ufeff`},
		{"tags", "a\U000e0041\U000e007f", `a\U000e0041\U000e007f`},
		{"soft hyphen, fillers", "\u00ad\u115f\u3164\uffa0", `\u00ad\u115f\u3164\uffa0`},
		{"separators", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"one selector for an emoji", "❤\ufe0f", "❤\ufe0f"},
		{"selectors that carry data", "❤\ufe0f\ufe0f\U000e0101\ufe00", "❤\ufe0f" + `\ufe0f\U000e0101\ufe00`},
		{"not UTF-8", "a\xff\xc3", `a\xff\xc3`},
		{"noncharacter", "\uffff", `\uffff`},
		{"visible Arabic number sign", "\u0600", "\u0600"},
	} {
		if got := Escape(c.in); got != c.want {
			t.Errorf("%s: Escape(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
	if got := EscapeLine("a\n\tb"); got != `a\n\tb` {
		t.Errorf("EscapeLine = %q", got)
	}
}

func TestEscapeJSON(t *testing.T) {
	type odd struct{ A, B string }
	in := odd{"\u202ea\U000e0041\x7f\u2028❤\ufe0f é", "\x1b\n\x00"}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out := EscapeJSON(append([]byte("\n\t"), raw...))
	if !fixed(t, string(out)) {
		t.Errorf("%s", out)
	}
	var back odd
	if err := json.Unmarshal(out, &back); err != nil || back != in {
		t.Errorf("%s means %q, %v", out, back, err)
	}
}

func TestClean(t *testing.T) {
	r := New(Config{})
	for _, c := range []struct{ name, in, want string }{
		{"color", "\x1b[1;31mred\x1b[0m\n", "red\n"},
		{"title, BEL", "a\x1b]0;title\x07b", "ab"},
		{"title, ST", "a\x1b]0;title\x1b\\b", "ab"},
		{"title, C1", "a\u009d0;title\u009cb", "ab"},
		{"device control", "a\x1bPq#0\x1b\\b", "ab"},
		{"reset and charset", "\x1bc\x1b(Bx", "x"},
		{"unfinished title is text", "a\x1b]0;title\nb", "a\\x1b]0;title\nb"},
		{"unfinished control at the end", "a\x1b[31", `a\x1b[31`},
		{"nested", "\x1b\x1b[0m[31m", `\x1b[31m`},
		{"endless title", "\x1b]" + strings.Repeat("x", maxSequence+10), `\x1b]` + strings.Repeat("x", maxSequence+10)},
		{"Windows lines", "a\r\nb\r\r\nc\r", "a\nb\nc\n"},
		{"progress bar", "1%\r2%\r\r3%\n", "1%\n2%\n3%\n"},
		{"a secret in color", "AKIA\x1b[1mIOSFODNN7EXAMPLE\x1b[0m", "[redacted:aws-access-key]"},
	} {
		if got := r.Clean([]byte(c.in)); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestEscapeProperties(t *testing.T) {
	check := func(b []byte) bool {
		return fixed(t, Escape(string(b))) && fixed(t, New(Config{}).Clean(b))
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

// fixed reports whether s holds nothing that Escape changes.
func fixed(t *testing.T, s string) bool {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("not UTF-8: %q", s)
		return false
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && r != 0xfe0e && r != 0xfe0f && hidden(r) {
			t.Errorf("%U is left in %q", r, s)
			return false
		}
	}
	if Escape(s) != s {
		t.Errorf("not a fixed point: %q", s)
		return false
	}
	return true
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\u202e\ufe0f\ufe0f", "\xff\xc2\x9b", "\x1b]0;\x07", "❤\ufe0f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fixed(t, Escape(s))
		if strings.ContainsAny(EscapeLine(s), "\n\t") {
			t.Error("more than one line")
		}
	})
}
