package python

import (
	"errors"
	"strings"
	"testing"
)

// TestNormalizeRefuses: differential class A, what CPython could read as other
// text than an analyzer.
func TestNormalizeRefuses(t *testing.T) {
	for src, where := range map[string]string{
		"a\x00b":                       "line 1, column 2",
		"a\n\x00":                      "line 2, column 1",
		"\xff":                         "line 1, column 1",
		"x = '\xc3'":                   "line 1, column 6",
		"x = '\xed\xa0\x80'":           "line 1, column 6",
		"x = '\xf4\x90\x80\x80'":       "line 1, column 6",
		"x = '\xc0\x80'":               "line 1, column 6",
		"\xff\xfea\x00":                "line 1, column 4",
		"# coding: latin-1\n":          "line 1, column 11",
		"# coding=utf-7\n":             "line 1, column 10",
		"# -*- coding: utf_7 -*-\n":    "line 1, column 15",
		"\n# coding: unicode_escape\n": "line 2, column 11",
		"#!x\n# vim: set fileencoding=shift_jis:": "line 2, column 25",
		"#x\r# coding: iso2022_jp\r":              "line 2, column 11",
		"\t\f # coding:\trot13":                   "line 1, column 14",
		"# codingcoding: utf-16":                  "line 1, column 17",
		"# coding coding:big5":                    "line 1, column 17",
		"# coding: utf-9\n":                       "line 1, column 11",
		"# coding: mbcs\n":                        "line 1, column 11",
		"\xef\xbb\xbf# coding: latin-1\n":         "line 1, column 11",
		"\xef\xbb\xbf# coding: utf8\n":            "line 1, column 11",
		"# coding: raw_unicode_escape":            "line 1, column 11",
	} {
		out, err := Normalize([]byte(src))
		var e *SyntaxError
		if !errors.As(err, &e) || out != nil || !strings.HasPrefix(err.Error(), where+":") {
			t.Errorf("%q: %q, %v, want %s", src, out, err, where)
		}
	}
}

func TestNormalizeKeeps(t *testing.T) {
	for src, want := range map[string]string{
		"":                                   "",
		"a":                                  "a",
		"\xef\xbb\xbfa":                      "a",
		"a\r\nb\rc\n\rd\r\r\ne":              "a\nb\nc\n\nd\n\ne",
		"'''\r\n'''":                         "'''\n'''",
		"# coding: utf-8\n":                  "# coding: utf-8\n",
		"# coding: UTF_8\n":                  "# coding: UTF_8\n",
		"# coding: utf8\n":                   "# coding: utf8\n",
		"# coding: utf-8-unix\n":             "# coding: utf-8-unix\n",
		"a\n# coding: latin-1\n":             "a\n# coding: latin-1\n",
		"\n\n# coding: latin-1\n":            "\n\n# coding: latin-1\n",
		"x # coding: latin-1\n":              "x # coding: latin-1\n",
		"# encoding latin-1\n":               "# encoding latin-1\n",
		"'coding: latin-1'\n":                "'coding: latin-1'\n",
		"x = 'é\u2028\u200b'\n":              "x = 'é\u2028\u200b'\n",
		"\xef\xbb\xbf\xef\xbb\xbfa":          "\ufeffa",
		"\xef\xbb\xbf# coding: utf-8\nx\r\n": "# coding: utf-8\nx\n",
	} {
		out, err := Normalize([]byte(src))
		if err != nil || string(out) != want {
			t.Errorf("%q: %q, %v, want %q", src, out, err, want)
		}
	}
}

// TestNormalizeThenCPython holds that what is normalized means the same to
// CPython before and after.
func TestNormalizeThenCPython(t *testing.T) {
	o := startOracle(t)
	for _, src := range []string{
		"a = 1\rb = 2\r", "a = 1\r\nb = 2\r\n", "\xef\xbb\xbfa = 1", "x = '''\r\n'''", "x = '\\\r\n'", "# a\rb()",
		"# coding: utf-8\nx = 'é'", "# coding: utf8\nx = 'é'", "a\\\r\n+b", "if a:\r b\r\n c\r",
	} {
		before, ok1 := o.ask(t, "digest", []byte(src))
		out, err := Normalize([]byte(src))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		after, ok2 := o.ask(t, "digest", out)
		if ok1 != ok2 || before != after && ok1 {
			t.Errorf("%q: %s before and %s after", src, before, after)
		}
		if m, err := Parse(out, Options{Version: o.version}); (err == nil) != ok2 || ok2 && HexDigest(m) != after {
			t.Errorf("%q: ours differs (%v)", src, err)
		}
	}
}
