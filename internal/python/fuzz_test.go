package python

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func seeds(f *testing.F) {
	for _, s := range []string{
		"", "x", "def f(a, /, b=1, *c, d, **e) -> g:\n return (yield)\n", "match x:\n case [1, *_] | {'a': b}: pass\n",
		"f'{a!r:>{b}}' 'c'", "with (a as b, c): pass", "class A[T: int = str](B): x: int = 1\n",
		"try: a\nexcept* B as c: d\nfinally: e\n", "[(x := y) async for y in z if w]", "t'{a=}'", "'\\N{BULLET}\\ud800'",
		"if a:\n\tb\n        c\n", "0x1f + 1_0j ** -1e400", "# coding: latin-1\n", "a\\\n b", "\xef\xbb\xbfa\r\nb\r",
		"type X[*T] = 1; global a", "lambda *a: a if b else c", "@a.b\nasync def f(): await x",
	} {
		f.Add([]byte(s))
	}
}

// FuzzParse holds that nothing panics or disagrees with itself in any version.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		for minor := oldestMinor; minor <= newestMinor; minor++ {
			o := Options{Version: Version{3, minor}, MaxDepth: 200}
			m, err := Parse(src, o)
			if err != nil {
				if strings.Contains(err.Error(), "internal error") {
					t.Fatalf("3.%d: %v", minor, err)
				}
				continue
			}
			again, err := Parse(append([]byte("# \n"), src...), o)
			if minor != 8 && err != nil { // 3.8 sees "\" at the start of a file in its own way
				t.Fatalf("3.%d: refused behind a comment: %v", minor, err)
			}
			if err == nil && Digest(m) != Digest(again) {
				t.Fatalf("3.%d: another digest behind a comment", minor)
			}
			if err := WriteJSON(io.Discard, m); err != nil {
				t.Fatal(err)
			}
			if d := depth(m); d > 200 {
				t.Fatalf("3.%d: depth %d", minor, d)
			}
		}
	})
}

// FuzzNormalize holds that what it returns is normal, and stays so.
func FuzzNormalize(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := Normalize(src)
		if err != nil {
			return
		}
		if bytes.ContainsAny(out, "\r\x00") || invalidUTF8(out) >= 0 {
			t.Fatalf("not normal: %q", out)
		}
		again, err := Normalize(out)
		if err != nil && !bytes.HasPrefix(out, []byte("\xef\xbb\xbf")) {
			t.Fatalf("refused at the second time: %v", err)
		}
		if err == nil && !bytes.HasPrefix(out, []byte("\xef\xbb\xbf")) && !bytes.Equal(out, again) {
			t.Fatalf("changed at the second time: %q", again)
		}
	})
}
