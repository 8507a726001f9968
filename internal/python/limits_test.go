package python

import (
	"strings"
	"testing"
)

// nest writes n statements in each other. A form is what opens one and, after
// a bar, what closes it.
func nest(form string, n int) string {
	open, end, _ := strings.Cut(form, "|")
	var b strings.Builder
	for i := range n {
		pad := strings.Repeat("  ", i)
		b.WriteString(pad + strings.ReplaceAll(open, "\n", "\n"+pad) + "\n")
	}
	b.WriteString(strings.Repeat("  ", n) + "pass\n")
	for i := n - 1; i >= 0 && end != ""; i-- {
		b.WriteString(strings.Repeat("  ", i) + end + "\n")
	}
	return b.String()
}

// TestNestedBlocks holds the depth at which CPython 3.8, 3.9 to 3.12, and 3.13
// and 3.14 say "too many statically nested blocks", as measured on 3.8.18,
// 3.9.18, 3.10.13, 3.11.2, 3.13.0 and 3.14.2 (there without the forms that have
// a finally, whose compilation takes exponential time). 99: the bound on
// indentation.
func TestNestedBlocks(t *testing.T) {
	for form, most := range map[string][3]int{
		"while a:":                         {20, 20, 21},
		"for a in b:":                      {20, 20, 21},
		"with a:":                          {20, 20, 21},
		"with a, b:":                       {10, 10, 10},
		"try:|finally: pass":               {20, 20, 21},
		"try: pass\nfinally:":              {20, 20, 21},
		"try:|except: pass":                {20, 19, 20},
		"try: pass\nexcept:":               {20, 10, 10},
		"try: pass\nexcept A as e:":        {20, 10, 10},
		"try: pass\nexcept:|finally: pass": {10, 6, 7},
		"try: pass\nexcept: pass\nelse:":   {99, 99, 99},
		"for a in b: pass\nelse:":          {99, 99, 99},
		"if a:":                            {99, 99, 99},
		"class A:":                         {99, 99, 99},
		"def f():":                         {99, 99, 99},
	} {
		for i, v := range []Version{{3, 8}, {3, 11}, {3, 14}} {
			for _, n := range []int{most[i], most[i] + 1} {
				_, err := Parse([]byte(nest(form, n)), Options{Version: v})
				if (err == nil) != (n == most[i]) {
					t.Errorf("%s: %d of %q: %v", v, n, form, err)
				}
			}
		}
	}
}

// TestDepth holds the bound on depth: what CPython 3.8 to 3.12 takes passes,
// and no deeper tree gets out.
func TestDepth(t *testing.T) {
	rep := strings.Repeat
	for name, src := range map[string]func(n int) string{
		"add":    func(n int) string { return "a" + rep("+a", n) },
		"minus":  func(n int) string { return rep("-", n) + "a" },
		"not":    func(n int) string { return rep("not ", n) + "a" },
		"attr":   func(n int) string { return "a" + rep(".a", n) },
		"call":   func(n int) string { return "a" + rep("()", n) },
		"lambda": func(n int) string { return rep("lambda:", n) + "a" },
		"ifexp":  func(n int) string { return rep("a if a else ", n) + "a" },
		"power":  func(n int) string { return "a" + rep("**a", n) },
		"elif":   func(n int) string { return "if a: b\n" + rep("elif a: b\n", n) },
	} {
		if _, err := Parse([]byte(src(2980)), Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if m, err := Parse([]byte(src(3100)), Options{}); err == nil {
			t.Errorf("%s: a tree of depth %d", name, depth(m))
		}
		if _, err := Parse([]byte(src(90)), Options{MaxDepth: 50}); err == nil {
			t.Errorf("%s: MaxDepth is not held", name)
		}
	}
}

func depth(n Node) int {
	most := 0
	Children(n, func(c Node) { most = max(most, depth(c)) })
	return most + 1
}

// TestLimits holds the bounds on bytes, nodes, brackets and indentation.
func TestLimits(t *testing.T) {
	refused := func(src string, o Options, why string) {
		t.Helper()
		if _, err := Parse([]byte(src), o); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.40q: %v, want %q", src, err, why)
		}
	}
	rep := strings.Repeat
	refused(rep("a", 101), Options{MaxBytes: 100}, "longer than 100 bytes")
	refused(rep("a\n", 10_000), Options{MaxNodes: 1000}, "too many nodes")
	refused(rep("(", 201)+"a"+rep(")", 201), Options{}, "too many nested parentheses")
	refused(nest("if a:", 100), Options{}, "too many levels of indentation")
	refused(rep("9", 4301), Options{}, "4300 digits")
	refused("a\x00", Options{}, "not normalized")
	refused("a\rb", Options{}, "not normalized")
	refused("a = '\xff'", Options{}, "not UTF-8")
	for _, v := range []Version{{2, 7}, {3, 7}, {3, 15}, {4, 0}} {
		refused("a", Options{Version: v}, "unsupported Python version")
	}
	for _, src := range []string{"", rep("(", 200) + "a" + rep(")", 200), nest("if a:", 99), rep("9", 4300), "0x" + rep("f", 5000)} {
		if _, err := Parse([]byte(src), Options{}); err != nil {
			t.Errorf("%.40q: %v", src, err)
		}
	}
}
