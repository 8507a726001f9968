package js

import (
	"errors"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

// TestPlaces: facts stand where the source has them, whatever esbuild moved.
func TestPlaces(t *testing.T) {
	source := "// é 😀\ninterface A { x: number }\n\n/* a\n b */ const fs = require('fs');\n\n" +
		"const s = 'é😀'; fs.rmSync('/a');\nclass C<T> {\n\tm(): void { fs.unlinkSync('/b') }\n}\nenum E { A }\n(  [eval]  )[0]('1');\n"
	r, err := Read(analysis.Text{Language: palisade.TypeScript, Name: "p.ts", Source: source})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(source, "\n")
	want := map[string]string{"import": "require(", "delete_path /a": "fs.rmSync", "delete_path /b": "fs.unlinkSync", "evaluate 1": "(  [eval]"}
	for _, f := range r.Facts {
		key := strings.TrimSpace(string(f.Capability) + " " + f.Argument)
		if f.Capability == palisade.CapImport {
			key = "import"
		}
		begin, known := want[key]
		if !known {
			continue
		}
		delete(want, key)
		rest := lines[f.Line-1][f.Column-1:]
		if !strings.HasPrefix(rest, begin) && !strings.HasPrefix(rest, strings.TrimLeft(begin, "( ")) {
			t.Errorf("%s stands at %d:%d, %q", key, f.Line, f.Column, rest)
		}
		if f.File != "p.ts" {
			t.Errorf("%s stands in %q", key, f.File)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v in %v", want, r.Facts)
	}
}

// TestCanonical: what runs is plain JavaScript that says by itself whether it
// is a module.
func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		source string
		module bool
	}{
		{"const fs = require('fs')", false}, {"import fs from 'fs'; fs", true}, {"export const a = 1", true}, {"await f()", true},
		{"await (f, x)", true}, {"for await (const x of y) f(x)", true}, {"import.meta.url", true}, {"import('fs')", false},
		{"async function f() { await 1 }", false}, {"const f = async () => await 1", false}, {"return 1", false},
		{"class A { static async m() { await 1 } }", false}, {"f(async x => { for await (const y of x); })", false},
		{"if (x) { await f() }", true}, {"const a = `${await f()}`", true}, {"#!/usr/bin/env node\nconst a = 1", false},
	} {
		r, err := Read(analysis.Text{Language: palisade.JavaScript, Name: "p", Source: c.source})
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		text := string(r.Canonical)
		if module := strings.Contains(text, "import ") || strings.Contains(text, "export "); module != c.module {
			t.Errorf("%s: module %v\n%s", c.source, module, text)
		}
		for i := range len(text) {
			if text[i] >= 0x80 {
				t.Errorf("%s: not ASCII: %q", c.source, text)
				break
			}
		}
		again, err := Read(analysis.Text{Language: palisade.JavaScript, Name: "p", Source: text})
		if err != nil || strings.TrimSpace(string(again.Canonical)) != strings.TrimSpace(text) {
			t.Errorf("%s: reading what runs gives something else: %v\n%s\n%s", c.source, err, text, again.Canonical)
		}
	}
}

// TestUnparsable: what is not of the language has an error with its place.
func TestUnparsable(t *testing.T) {
	for source, line := range map[string]int{
		"f(": 1, "\nlet let = 1": 2, "const a;": 1, "<div/>": 1, "x = {": 1, "'a\n'": 1, "\n\nimport(": 3, "a b": 1, "function* f() { yield = 1 }": 1,
		"let a; let a": 1, "break": 1, "0b2": 1, "`": 1, "/a": 1,
	} {
		_, err := Read(analysis.Text{Language: palisade.JavaScript, Name: "p", Source: source})
		syntax, ok := errors.AsType[*analysis.SyntaxError](err)
		if !ok || syntax.Line < line || syntax.Message == "" {
			t.Errorf("%q: %v", source, err)
		}
	}
	if _, err := Read(analysis.Text{Language: palisade.JavaScript, Name: "p", Source: "let a: number = 1"}); err == nil {
		t.Error("types are not JavaScript")
	}
}

// TestTreeDiffers: a tree that leaves something of its text out, or moves it,
// is an error.
func TestTreeDiffers(t *testing.T) {
	for _, c := range []struct{ text, leaf string }{
		{"a(b)", "b"}, {"'x' + a", "a"}, {"/r/ + a", "q"}, {"1 + a", "a"}, {"`t` + a", "a"}, {"#p in a", "a"}, {"ab", "b"},
	} {
		func() {
			defer func() {
				if _, ok := recover().(differs); !ok {
					t.Errorf("%q is left out of %q without an error", c.leaf, c.text)
				}
			}()
			(&converter{text: c.text}).take(c.leaf)
		}()
	}
	c := &converter{text: "get (a, /* b */ [b]) => // c\n c"}
	for _, leaf := range []string{"a", "b", "c"} {
		c.take(leaf)
	}
	c.gap(len(c.text))
}

// TestNames: what a property's name may be written as, and what may stand
// between.
func TestNames(t *testing.T) {
	for _, source := range []string{
		"const o = { // \"x\": 'y\n a /* : */ , // b\n \"b-c\" /* q */ : 1, get /* c */ d() { return 1 }, static: 1, get: 2, set(x) {}, 'q': 1 }",
		"const o = { async async() {}, get get() { return 1 }, set set(x) {}, async *gen() {}, 0.5: 1, .25: 2, 0x10: 3, 1e3: 4, 10n: 5 }",
		"const { /* ' */ b, 'c': d, get, async: e, static: f = 1, [b + d]: g, ...set } = o; ({ b, 'c': d, get = 2 } = o)",
		"class A { static static = 1; get = 2; set; async; static async *gen() {} static get set() { return 1 } 'quoted'() {} async() {} }",
		"class A { static async = 1; static get get() { return 1 } static { f() } #get = 1; static #set() {} [a]() {} static [b] = 1; 'c-d' = 2; 7() {} }",
		"const f = ({ a, b: [c, { d = 1 } = {}] = [], ...e }, [g, , h = 2, ...i]) => a", "function f({ get, set: { of, from } }) { return get + of }",
		"let of = 1, from = 2, as = 3, get = 4, async = 5, set = 6; for (of of [of]) ; async (get); as; from", "a.get.set.static.async.of.if.class.new",
	} {
		for _, f := range facts(t, source) {
			t.Errorf("%s in %s", f, source)
		}
	}
}

func TestUnescape(t *testing.T) {
	for raw, want := range map[string]string{
		`a`: "a", `\x41`: "A", `\u0041`: "A", `\u{41}`: "A", `\u{1f600}`: "😀", `\ud83d\ude00`: "😀", `\n\t\\\'`: "\n\t\\'", "a\\\nb": "ab",
		`\101`: "A", `\0`: "\x00", `\q`: "q", `\x4`: "x4", `\u00`: "u00", `\`: `\`, `\377`: "\u00ff", `\400`: " 0",
	} {
		if got := unescape(raw); got != want {
			t.Errorf("unescape(%q) = %q, want %q", raw, got, want)
		}
	}
}

// TestMapping reads the example of the format's own description.
func TestMapping(t *testing.T) {
	m, err := readMapping([]byte(`{"version":3,"mappings":"AAAA,IAAI;;AACJ;GAAC"}`), "ab cd\nefgh")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][4]int{{0, 0, 1, 1}, {0, 3, 1, 1}, {0, 4, 1, 5}, {0, 99, 1, 5}, {1, 0, 1, 5}, {2, 0, 2, 1}} {
		line, column := m.place(c[0], c[1])
		if line != c[2] || column > c[3] {
			t.Errorf("place(%d, %d) = %d:%d, want %d:%d", c[0], c[1], line, column, c[2], c[3])
		}
	}
	for _, bad := range []string{`{"mappings":"!"}`, `{"mappings":"gggggggggggggggggggg"}`, `{"mappings":"AAAAAAA"}`, `x`} {
		if _, err := readMapping([]byte(bad), ""); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, source := range benign[:20] {
		f.Add(source, false)
	}
	for _, source := range []string{
		"({})[`constructor`][`constructor`](\"return 1\")()", "import('fs').then(f => f.readFileSync('/etc/passwd'))", "\\u0065val('1')",
		"enum A { B } @d class C<T> extends D { #x?: T }", "a<!--b\n-->c", "x = /[/]/ / y / `${/`/}`", "with (a) b ??= c?.[d]?.(...e)",
	} {
		f.Add(source, true)
	}
	f.Fuzz(func(t *testing.T, source string, typed bool) {
		if len(source) > 4096 {
			return
		}
		language := palisade.JavaScript
		if typed {
			language = palisade.TypeScript
		}
		text := analysis.Text{Language: language, Name: "p", Source: source}
		r, err := Read(text)
		again, errAgain := Read(text)
		if (err == nil) != (errAgain == nil) || string(r.Canonical) != string(again.Canonical) || len(r.Facts) != len(again.Facts) {
			t.Fatalf("two readings differ: %v, %v", err, errAgain)
		}
		if err == nil && r.Canonical == nil {
			t.Fatal("nothing to run")
		}
		for _, fact := range r.Facts {
			if fact.Capability == "" || fact.Line < 0 || fact.Line > strings.Count(source, "\n")+1 {
				t.Fatalf("%+v", fact)
			}
		}
	})
}
