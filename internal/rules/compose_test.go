package rules

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palisade"
)

// reached are things of the host, each with ways to use it on a file outside
// of the workspace; %s is what carries it.
var reached = []struct {
	value string
	uses  []string
}{
	{"os", []string{
		"%s.remove('/srv/x')", "getattr(%s, 're' + 'move')('/srv/x')", "vars(%s)['unlink']('/srv/x')", "%s.__dict__['rmdir']('/srv/x')",
		"%s.listdir('/srv/x')", "%s.rename('/srv/x', 'y')", "%s.open('/srv/x', 0)", "list(map(%s.unlink, ['/srv/x']))",
	}},
	{"__import__('os')", []string{"%s.remove('/srv/x')", "getattr(%s, 'unlink')('/srv/x')"}},
	{"os.remove", []string{"%s('/srv/x')", "%s(path='/srv/x')", "(lambda f: f('/srv/x'))(%s)"}},
	{"open", []string{"%s('/srv/x')", "%s('/srv/x', 'w')", "list(map(%s, ['/srv/x']))"}},
	{"io", []string{"%s.open('/srv/x')", "%s.FileIO('/srv/x')", "getattr(%s, 'op' + 'en')('/srv/x')"}},
	{"pathlib", []string{"%s.Path('/srv/x').unlink()", "getattr(%s, 'Path')('/srv/x').read_text()"}},
	{"pathlib.Path", []string{"%s('/srv/x').unlink()", "%s('/srv/x').read_text()"}},
	{"pathlib.Path('/srv/x')", []string{"%s.unlink()", "%s.read_text()", "%s.open()", "getattr(%s, 'unlink')()"}},
	{"shutil", []string{"%s.rmtree('/srv/x')", "%s.copy('/srv/x', 'y')"}},
	{"shutil.rmtree", []string{"%s('/srv/x')"}},
	{"'/srv/x'", []string{"open(%s)", "os.remove(%s)", "open(str(%s))", "pathlib.Path(%s).unlink()", "open('{}'.format(%s))"}},
}

// muchWork uses up the precision of the reading before the program begins.
var muchWork = func() string {
	var b strings.Builder
	for i := range 6 {
		fmt.Fprintf(&b, "def work%d(n, m):\n    t = []\n    for i in range(20):\n        for j in range(20):\n"+
			"            t.append([i * j, str(i) + str(j), (i, j)])\n            t = t + [n] if i > j else t[1:]\n    return t\n"+
			"for a in range(30):\n    for b in range(30):\n        work%d(a, b)\n", i, i)
	}
	return b.String()
}()

// TestCompositions sends a module, a function, a path or a text through ways
// that are chosen at random, and uses what comes out.
func TestCompositions(t *testing.T) {
	ways := blocks(t, "testdata/compositions.txt")
	names := slices.Sorted(maps.Keys(ways))
	if len(names) < 90 {
		t.Fatalf("%d ways, want 90", len(names))
	}
	j, r := newJudge(t), rand.New(rand.NewPCG(3, 7)) //nolint:gosec // the same programs each time
	for i := range 1500 {
		thing := reached[r.IntN(len(reached))]
		value, fresh := thing.value, 0
		var src strings.Builder
		if i%25 == 0 {
			src.WriteString(muchWork)
		}
		src.WriteString("import os, io, pathlib, shutil\n")
		for range 1 + r.IntN(6) {
			before, after, _ := strings.Cut(ways[names[r.IntN(len(names))]], "=> ")
			fill := strings.NewReplacer("{e}", value, "{n}", fmt.Sprint("n", fresh), "{k}", fmt.Sprint("k", fresh),
				"{m}", fmt.Sprint("m", fresh), "{g}", fmt.Sprint("g", fresh))
			src.WriteString(fill.Replace(before))
			value = strings.TrimSpace(fill.Replace(after))
			fresh++
		}
		fmt.Fprintf(&src, thing.uses[r.IntN(len(thing.uses))]+"\n", value)
		v := j.decide("data", src.String())
		if v.Decision == palisade.Allow {
			t.Errorf("program %d is allowed:\n%s", i, src.String())
		}
		for _, reason := range v.Reasons {
			if reason.Finding.Capability == palisade.CapUnparsable {
				t.Fatalf("%s\n%s", reason.Finding.Message, src.String())
			}
		}
	}
}
