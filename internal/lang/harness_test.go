package lang

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"palisade"
)

// Every file of the harness is in it, once.
func TestHarnessIsWhole(t *testing.T) {
	list, err := fs.Glob(harnessFiles, "harness/*.py")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range list {
		names = append(names, strings.TrimPrefix(name, "harness/"))
	}
	parts := slices.Sorted(slices.Values(harnessParts))
	if !slices.Equal(names, parts) {
		t.Errorf("files %v, parts %v", names, parts)
	}
	text, err := Harness(palisade.Python)
	if err != nil || !bytes.Contains(text, []byte("\ndef digest(tree):")) || !bytes.HasSuffix(text, []byte("\nmain()\n")) {
		t.Errorf("harness: %v, %d bytes", err, len(text))
	}
	if _, err := Harness("cobol"); err == nil {
		t.Error("a language that does not run has a harness")
	}
}

func TestStart(t *testing.T) {
	start, err := StartFor(palisade.Python, Interpreter{Path: "/usr/bin/python3.11", ModulePath: []string{"/usr/lib/python3/dist-packages"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(start.Args, " "); got != "-I -S -B -X utf8 "+HarnessPath+" /usr/lib/python3/dist-packages" {
		t.Errorf("arguments %q", got)
	}
	for _, v := range start.Env {
		if strings.HasPrefix(v, "PYTHON") {
			t.Errorf("%s: -I would ignore it", v)
		}
	}
	start.Env[0] = "changed"
	if again, _ := StartFor(palisade.Python, Interpreter{}); again.Env[0] == "changed" {
		t.Error("one start changes the next")
	}
	if _, err := StartFor("cobol", Interpreter{}); err == nil {
		t.Error("a language that does not run was started")
	}
}
