package analysis

import (
	"strings"
	"testing"

	"palisade"
)

func TestScore(t *testing.T) {
	use := func(c palisade.Capability, symbol, argument string) Fact {
		return Fact{Capability: c, Symbol: symbol, Argument: argument}
	}
	process := use(palisade.CapProcess, "os.system", "id")
	for _, c := range []struct {
		name  string
		facts []Fact
		text  string
		dead  int
		want  int
	}{
		{"nothing", nil, "print(1)", 0, 0},
		{"imports and calls count nothing", []Fact{use(palisade.CapImport, "os", "os"), use(palisade.CapCall, "os.getcwd", "")}, "import os", 0, 0},
		{"a process", []Fact{process}, "os.system('id')", 0, 12},
		{"twice is once", []Fact{process, use(palisade.CapProcess, "os.popen", "x")}, "os.system('id'); os.popen('x')", 0, 12},
		{"reading in the workspace", []Fact{use(palisade.CapReadPath, "builtins.open", "/work/a")}, "open('a')", 0, 2},
		{"reading outside", []Fact{use(palisade.CapReadPath, "builtins.open", "/etc/passwd")}, "open('/etc/passwd')", 0, 4},
		{"making an image", []Fact{{Capability: palisade.CapInstall, Image: true}, {Capability: palisade.CapWritePath, Argument: "/etc/x", Image: true}}, "", 0, 0},
		{"in an image, and beyond it", []Fact{{Capability: palisade.CapNetwork, Image: true}, {Capability: palisade.CapPrivilege, Image: true}}, "", 0, 20},
		{"a name that was put together", []Fact{process}, "getattr(os, 'sys' + 'tem')('id')", 0, 22},
		{"hidden characters", []Fact{{Capability: palisade.CapObfuscation, Kind: KindHidden}}, "x", 0, 15},
		{"base64", nil, "x = '" + "QWxhZGRpbjpvcGVuIHNlc2FtZQpteSBzZWNyZXQgcGF5bG9hZCBnb2VzIGhlcmUgYW5kIG5vYm9keSBzZWVzIGl0Cg==" + "'", 0, 10},
		{"hex", nil, "x = '" + strings.Repeat("6f732e73797374656d", 5) + "'", 0, 10},
		{"a long word is no code", nil, "x = '" + strings.Repeat("a", 200) + "'", 0, 0},
		{"escapes", nil, `x = "\x6f\x73\x2e\x73\x79\x73\x74\x65\x6d"`, 0, 10},
		{"some escapes", nil, `x = "\x1b[0m\x00\xff\u00e9"`, 0, 0},
		{"dead code", nil, "if False: f()", 1, 5},
		{"a long line", nil, strings.Repeat("x, ", 1000), 0, 5},
	} {
		if got, signs := Score(c.facts, c.text, c.dead); got != c.want || total(signs) != c.want {
			t.Errorf("%s: %d %v, want %d", c.name, got, signs, c.want)
		}
	}
}

// TestScoreIsBounded: however much there is, each half has its end, and more
// facts never lower a score.
func TestScoreIsBounded(t *testing.T) {
	var facts []Fact
	last := 0
	for c := range reach {
		facts = append(facts, Fact{Capability: c, Symbol: "a." + string(c), Kind: KindUse, Argument: "/etc"})
		got, _ := Score(facts, "", 0)
		if got < last {
			t.Errorf("%s lowered the score from %d to %d", c, last, got)
		}
		last = got
	}
	facts = append(facts, Fact{Kind: KindHidden})
	text := strings.Repeat(`\x61`, 3000) + " " + strings.Repeat("6f732e73797374656d", 50)
	if got, signs := Score(facts, text, 100); got != 100 {
		t.Errorf("%d: %v", got, signs)
	}
}
