package rules

import (
	"os"
	"strings"
	"testing"

	"palisade"
)

// TestLent: no module lends another. For every module of the table that
// exposes one of these, its use through it is judged as the module's own.
func TestLent(t *testing.T) {
	dangerous := map[string]string{
		"os": "system('id')", "sys": "modules", "subprocess": "run(['id'])", "builtins": "eval('1')",
		"importlib": "import_module('os')", "ctypes": "CDLL(None)", "socket": "create_connection(('x', 1))",
		"shutil": "rmtree('/')", "posix": "system('id')", "_thread": "interrupt_main()", "gc": "get_objects()",
		"inspect": "currentframe()", "pickle": "loads(b'')", "marshal": "loads(b'')", "code": "interact()",
		"multiprocessing": "Process()", "urllib.request": "urlopen('http://x')", "runpy": "run_path('/tmp/x')",
	}
	data, err := os.ReadFile("../analysis/py/reexports.txt")
	if err != nil {
		t.Fatal(err)
	}
	j, n := newJudge(t), 0
	for line := range strings.Lines(string(data)) {
		mod, entries, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for entry := range strings.FieldsSeq(entries) {
			attr, target, ok := strings.Cut(entry, ">")
			use, is := dangerous[target]
			if !ok || !is {
				continue
			}
			n++
			for _, src := range []string{
				"import " + mod + "\n" + mod + "." + attr + "." + use + "\n",
				"from " + mod + " import " + attr + " as x\nx." + use + "\n",
				"import " + mod + " as m\ngetattr(m, '" + attr + "')." + use + "\n",
			} {
				if v := j.decide("data", src); v.Decision == palisade.Allow {
					t.Errorf("allowed:\n%s", src)
				}
			}
		}
	}
	t.Logf("%d modules exposed by others", n)
	if n < 800 {
		t.Errorf("only %d", n)
	}
}
