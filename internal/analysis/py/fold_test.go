package py

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"palisade/internal/python"
)

const oracle = "/usr/bin/python3"

// oracleProgram evaluates one expression a line and prints what it is.
const oracleProgram = `
import sys, json
import base64, codecs, binascii, operator, functools, itertools, os.path, urllib.parse
from pathlib import PurePosixPath as Path
for line in sys.stdin:
    try:
        v = eval(json.loads(line))
    except Exception as e:
        print(json.dumps(["error", type(e).__name__])); continue
    if isinstance(v, Path):
        v = str(v)
    if type(v) in (str, int, bool, type(None)):
        print(json.dumps([type(v).__name__, str(v)]))
    elif type(v) is bytes:
        print(json.dumps(["bytes", v.decode("latin-1")]))
    else:
        print(json.dumps(["other", ""]))
`

// TestFolding holds constant folding to CPython: where it gives one constant,
// that is what the interpreter computes.
func TestFolding(t *testing.T) {
	if _, err := os.Stat(oracle); err != nil {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), "python") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	exprs := append(handWritten(), generated(4000)...)
	var in strings.Builder
	for _, e := range exprs {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(oracle, "-I", "-c", oracleProgram)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines, folded := bufio.NewScanner(strings.NewReader(string(out))), 0
	lines.Buffer(nil, 1<<20)
	for _, e := range exprs {
		if !lines.Scan() {
			t.Fatal("the oracle stopped early")
		}
		var want [2]string
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		o, ok := fold(t, e).only()
		kind, text := describe(o)
		if !ok || kind == "" || want[0] == "error" {
			continue // nothing is claimed, or the program ends there
		}
		folded++
		if kind == "pattern" {
			if want[0] != "str" || !matches(text, want[1]) {
				t.Errorf("%s: %q does not stand for %q", e, text, want)
			}
			continue
		}
		if kind != want[0] || text != want[1] {
			t.Errorf("%s: folded to %s %q, CPython has %s %q", e, kind, text, want[0], want[1])
		}
	}
	t.Logf("%d of %d expressions folded", folded, len(exprs))
	if folded*2 < len(exprs) {
		t.Errorf("only %d of %d expressions folded", folded, len(exprs))
	}
}

// matches compares a text with a pattern in which * is a number.
func matches(pattern, s string) bool {
	before, after, ok := strings.Cut(pattern, "*")
	if !ok {
		return pattern == s
	}
	rest, ok := strings.CutPrefix(s, before)
	if !ok {
		return false
	}
	for i := 0; i <= len(rest); i++ {
		if matches(after, rest[i:]) {
			return true
		}
		if i < len(rest) && !strings.ContainsRune("0123456789abcdefinlo+-.x ,_%XNAFE", rune(rest[i])) {
			return false
		}
	}
	return false
}

func describe(o object) (kind, text string) {
	switch o := o.(type) {
	case cStr:
		return "str", string(o)
	case cBytes:
		var b strings.Builder
		for i := range len(o) {
			b.WriteRune(rune(o[i]))
		}
		return "bytes", b.String()
	case cInt:
		return "int", fmt.Sprint(int64(o))
	case cBool:
		if o {
			return "bool", "True"
		}
		return "bool", "False"
	case cNone:
		return "NoneType", "None"
	case pattern:
		return "pattern", string(o)
	}
	return "", ""
}

// fold evaluates an expression abstractly.
func fold(t *testing.T, src string) val {
	t.Helper()
	const imports = "import base64, codecs, binascii, operator, functools, itertools, os.path, urllib.parse\nfrom pathlib import Path\n"
	tree, err := python.Parse([]byte(imports+"result = "+src+"\n"), python.Options{})
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	p := Program{Main: Source{File: "p.py", Tree: tree}}
	in := newInterp(Budget{})
	in.prepare(p)
	in.runUnit(in.units[""])
	v := in.units[""].scope.vars["result"].cur
	for i := range v.size() {
		o := v.at(i)
		if path, ok := o.(*instance); ok && path.of == symbol("pathlib.Path") && v.size() == 1 {
			return path.text
		}
		_ = i
	}
	return v
}

func handWritten() []string {
	return strings.Split(strings.TrimSpace(`
"abc"[::-1]
"abc"[5:]
"abc"[-2:]
"abcdef"[1:5:2]
"abcdef"[5:1:-2]
"abcdef"[::-3]
"abcdef"[-1:-5:-1]
"abcdef"[10:2:-1]
"abcdef"[:-10:-1]
[1, 2, 3][-1]
b"abc"[1]
b"abc"[1:]
"é中"[1]
"-".join(["a", "b"])
",".join("abc")
"".join(map(chr, [111, 115]))
"".join(chr(ord(c) + 1) for c in "nr")
"".join(reversed("abc"))
"".join([c for c in "a1b2" if c.isalpha()])
" a b  c ".split()
" a b  c ".split()[1]
"a,b".split(",")[1]
"a\x1fb".split()[0]
"\x1fab\x1f".strip()
b"\x1fab\x1f".strip()
"aXb".lower() + "c".upper()
"they're bill's".title()
"hELLO wORLD".capitalize()
"aBc".swapcase()
"abcabc".replace("b", "")
"abcabc".replace("b", "x", 1)
"prefix".removeprefix("pre")
"x" * 3 + 2 * "y"
"%s-%d-%%-%c" % ("a", 3, "c")
"%(a)s" % {"a": "b"}
"%5s|%-5s" % ("a", "b")
"%05d" % 3
"%x" % 255
"%r" % "a"
"%s" % (1,)
"%s" % True
"%s %s" % ("a", 1.5)
"{}{}".format("a", 1)
"{1}{0}".format("a", "b")
"{a}".format(a="x")
"{:>5}".format("a")
"{:05d}".format(3)
"{!r}".format("a")
"{{}}".format()
"{0[0]}".format(["x"])
"{:{}}".format(3, "d")
f"{'a'}{1}{2!r}"
f"{3:x}{255:d}"
f"{'a':s}"
f"{1.5}"
f"{True}"
f"{None}"
f"{'it' + chr(39) + 's'!r}"
chr(97) + str(1)
str(b"abc", "utf-8")
str(b"abc")
str(None) + str(True)
repr("a")
int("12") + int("0x1f", 16)
int("  7 ")
int("1_000")
bytes([97, 98]).decode()
bytes.fromhex("61 62").decode()
bytearray(b"ab").decode()
b"ab".hex()
"ab".encode("utf-16")
b"a\x00b\x00".decode("utf-16-le")
b"\xe9".decode("latin-1")
"caf\u00e9".encode().decode()
base64.b64decode("YWJj").decode()
base64.b64decode(b"YW Jj\n")
base64.b64encode(b"abc")
base64.b32decode("MFRGG===")
base64.b16decode("6162")
base64.urlsafe_b64decode("YWJj")
binascii.unhexlify("6162")
codecs.decode("nop", "rot13")
codecs.decode("616263", "hex")
codecs.encode("abc", "rot_13")
"a\\x62".encode().decode("unicode_escape")
urllib.parse.unquote("%2Fetc%2f")
"abc".translate(str.maketrans("ab", "xy"))
"abc".translate(str.maketrans({"a": "zz", "b": None}))
"abc".translate(str.maketrans("ab", "xy", "c"))
str.join("-", ["a", "b"])
str.upper("a")
7 // 2
-7 // 2
-7 % 3
7 % -3
2 ** 10
1 << 4 | 3
5 ^ 1
~5
-3 + +2
not 0
7 / 2
9 ** 99
2 ** -1
10 ** 18 * 10
True + True
"a" == "a"
"a" in "cab"
"a" < "b"
1 < 2 < 3
1 == 1.0
None is None
"a" if 1 else "b"
0 or "x"
"y" and "x"
"abc".find("c")
"abc".index("b")
len("abc")
len([1, 2])
ord("a")
max("a", "b")
sum([1, 2, 3])
sum([[1], [2]], [])[1]
functools.reduce(lambda a, b: a + b, ["a", "b", "c"])
functools.reduce(operator.add, "abc")
list(zip("ab", "cd"))[1][0]
list(enumerate("ab"))[1][0]
list(range(5, 0, -2))[1]
sorted("cab")[0]
dict(a="x")["a"]
{"a": 1, True: "t"}[1]
{1: "a"}[True]
{**{"a": "b"}, "a": "c"}["a"]
[*"ab", "c"][2]
(lambda x, y="b": x + y)("a")
(lambda *a, **k: a[1] + k["z"])("x", "y", z="w")
[x + y for x in "ab" for y in "cd"][2]
{k: v for k, v in [("a", "b")]}["a"]
(a := "x") + a
os.path.join("a", "b", "/c", "d")
os.path.join("/a/", "b")
os.path.join("", "b")
os.path.join("a", "")
os.path.dirname("/a/b")
os.path.dirname("a")
os.path.dirname("//a")
os.path.basename("/a/b")
os.path.normpath("/a/../b/./c")
os.path.normpath("")
os.path.splitext("a/b.tar.gz")[0]
os.path.splitext(".bashrc")[0]
os.path.splitext("a.b/c")[0]
os.path.split("/a/b")[0]
str(Path("a") / "b" / "../c")
Path("/a/b").parent
Path("a").parent
Path("/a/b.txt").name
Path("/a/b.txt").stem
Path("/a/b.txt").suffix
Path("/a/b.txt").with_suffix(".md")
Path("/a/b.txt").with_name("c")
Path("a", "b")
"/x" / Path("y")
Path("a").joinpath("b", "/c")
(1).__add__(2)
(25455).to_bytes(2, "big")
(25455).to_bytes(2, "little")
operator.itemgetter(1)("ab")
operator.methodcaller("upper")("a")
"abc".startswith("ab")
"abc".endswith(("c", "d"))
"a b".partition(" ")[0]
"ab".zfill(5)
"ab".center(6, "/")
"x".join([])
"%s" % "a" "b"
"a" "b" * 2
itertools.accumulate
next(iter(["a"]))
(lambda: (yield "a"))
`), "\n")
}
