package python

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
)

func parse(t testing.TB, src string) *Module {
	t.Helper()
	m, err := Parse([]byte(src), Options{})
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return m
}

// TestDigestForm holds the canonical form to what the package comment says.
func TestDigestForm(t *testing.T) {
	for src, form := range map[string]string{
		"":          "n0:6:Module",
		"x":         "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:4:Name2:ids1:x",
		"{**x}":     "n1:6:Module4:bodyl1:n1:4:Expr5:valuen2:4:Dict4:keysl1:z0:6:valuesl1:n1:4:Name2:ids1:x",
		"None":      "n1:6:Module4:bodyl1:n1:4:Expr5:valuen0:8:Constant",
		"True":      "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:8:Constant5:valuet1:1",
		"...":       "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:8:Constant5:valuee0:",
		"255":       "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:8:Constant5:valuei2:ff",
		"1.5":       "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:8:Constant5:valuef8:\x3f\xf8\x00\x00\x00\x00\x00\x00",
		"2j":        "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:8:Constant5:valuec16:\x00\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00",
		"b'a'":      "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:8:Constant5:valueb1:a",
		"u'é'":      "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:8:Constant5:values2:é",
		"a + b":     "n1:6:Module4:bodyl1:n1:4:Expr5:valuen3:5:BinOp4:leftn1:4:Name2:ids1:a2:opn0:3:Add5:rightn1:4:Name2:ids1:b",
		"f''":       "n1:6:Module4:bodyl1:n1:4:Expr5:valuen0:9:JoinedStr",
		"'\\ud800'": "n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:8:Constant5:values3:\xed\xa0\x80",
	} {
		sum := sha256.Sum256([]byte("palisade python tree 1\n" + form))
		if got, want := HexDigest(parse(t, src)), hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%q: digest %s, want %s", src, got, want)
		}
	}
}

// TestDigestTells holds that programs which differ have different digests, and
// programs which differ only in layout the same.
func TestDigestTells(t *testing.T) {
	same := []string{"f(a, b)", "f(a,b)", "f (a,\n b,) # c", "\n\nf(a, b);", "ｆ(ａ, b)", "(f)((a), (b))"}
	for _, s := range same {
		if HexDigest(parse(t, s)) != HexDigest(parse(t, same[0])) {
			t.Errorf("%q has another digest than %q", s, same[0])
		}
	}
	seen := map[string]string{}
	for _, s := range []string{
		"f(a, b)", "f(b, a)", "f(a)", "f(a, b=b)", "f(*a, b)", "f(**a)", "f.a(b)", "f[a, b]", "f[a:b]", "f[a][b]",
		"1", "'1'", "b'1'", "1.0", "1j", "True", "None", "...", "'a'", "f'a'", "f'{a}'", "f'{a!r}'", "f'{a:b}'",
		"{}", "[]", "()", "{a}", "{a: b}", "{**a}", "[*a]", "lambda: a", "lambda a: a", "lambda *a: a", "lambda **a: a",
		"lambda a, /: a", "lambda *, a: a", "lambda a=b: a", "a = b", "a: b", "a += b", "(a): b", "import a", "import a as b",
		"from a import b", "from . import b", "from .a import b", "def f(): pass", "async def f(): pass", "class f: pass",
		"if a: b", "if a: pass\nelse: b", "while a: b", "for a in b: pass", "with a: b", "with a as b: b", "not a", "-a", "+a", "~a",
		"a and b", "a or b", "a < b", "a < b < c", "(a < b) < c", "a if b else c", "[a for b in c]", "{a for b in c}", "(a for b in c)",
	} {
		d := HexDigest(parse(t, s))
		if o := seen[d]; o != "" {
			t.Errorf("%q and %q have one digest", s, o)
		}
		seen[d] = s
	}
}

// TestJSONForm holds the JSON to its documented form.
func TestJSONForm(t *testing.T) {
	var b bytes.Buffer
	src := "x = [1, -0x1_0, 1.5, 2j, u'a\\ud800\"\\\\\\n', b'\\xff', True, None, ..., *y]\n"
	if err := WriteJSON(&b, parse(t, src)); err != nil {
		t.Fatal(err)
	}
	want := `{"_type":"Module","body":[{"_type":"Assign","_pos":[1,0,1,69],` +
		`"targets":[{"_type":"Name","_pos":[1,0,1,1],"id":"x","ctx":{"_type":"Store"}}],` +
		`"value":{"_type":"List","_pos":[1,4,1,69],"elts":[` +
		`{"_type":"Constant","_pos":[1,5,1,6],"value":{"_const":"int","value":"1"}},` +
		`{"_type":"UnaryOp","_pos":[1,8,1,14],"op":{"_type":"USub"},"operand":{"_type":"Constant","_pos":[1,9,1,14],"value":{"_const":"int","value":"10"}}},` +
		`{"_type":"Constant","_pos":[1,16,1,19],"value":{"_const":"float","value":"3ff8000000000000"}},` +
		`{"_type":"Constant","_pos":[1,21,1,23],"value":{"_const":"complex","value":"00000000000000004000000000000000"}},` +
		`{"_type":"Constant","_pos":[1,25,1,40],"value":{"_const":"str","value":"a\ud800\"\\\u000a"},"kind":"u"},` +
		`{"_type":"Constant","_pos":[1,42,1,49],"value":{"_const":"bytes","value":"/w=="}},` +
		`{"_type":"Constant","_pos":[1,51,1,55],"value":{"_const":"bool","value":true}},` +
		`{"_type":"Constant","_pos":[1,57,1,61],"value":{"_const":"NoneType","value":null}},` +
		`{"_type":"Constant","_pos":[1,63,1,66],"value":{"_const":"ellipsis","value":null}},` +
		`{"_type":"Starred","_pos":[1,68,1,70],"value":{"_type":"Name","_pos":[1,69,1,70],"id":"y","ctx":{"_type":"Load"}},"ctx":{"_type":"Load"}}` +
		`],"ctx":{"_type":"Load"}}}]}`
	want = strings.ReplaceAll(want, "1,69],\"targets", "1,71],\"targets")
	want = strings.ReplaceAll(want, "[1,4,1,69]", "[1,4,1,71]")
	if b.String() != want {
		t.Errorf("%s", difference(b.String(), want))
	}
	if !json.Valid(b.Bytes()) {
		t.Error("not JSON")
	}
}
