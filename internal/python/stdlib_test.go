package python

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// libraryDir is where the interpreter's own library is.
func libraryDir(t testing.TB) string {
	t.Helper()
	python := os.Getenv("PALISADE_PYTHON")
	if python == "" {
		python = defaultPython
	}
	out, err := exec.Command(python, "-I", "-S", "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		skip(t, "python", err.Error())
	}
	return strings.TrimSpace(string(out))
}

// libraryFiles lists the Python files of the interpreter's own library.
func libraryFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(libraryDir(t), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".py") && !strings.Contains(path, "site-packages") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestLibraryEqualsCPython holds that every file of the standard library has
// the tree that CPython gives it, positions included, or is refused by both.
func TestLibraryEqualsCPython(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	o := startOracle(t)
	files := libraryFiles(t)
	positions := o.version.Minor == 11
	var equal, refused, encoding int
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		theirs, ok := o.ask(t, "hash", raw)
		src, err := Normalize(raw)
		if err != nil {
			// Encodings that are refused on purpose: that no reader takes the
			// bytes for other text is the point.
			encoding++
			t.Logf("%s: refused by Normalize: %v (CPython accepts: %v)", path, err, ok)
			continue
		}
		our, err := ours(src, o.version)
		switch {
		case err != nil && !ok:
			refused++
		case err != nil:
			t.Errorf("%s: refused: %v", path, err)
		case !ok:
			t.Errorf("%s: accepted; CPython: %s", path, theirs)
		case our[:64] != theirs[:64]:
			tree, _ := o.ask(t, "tree", raw)
			t.Errorf("%s: digests differ %s", path, difference(jsonOf(src, o.version), tree))
		case positions && our != theirs:
			tree, _ := o.ask(t, "tree", raw)
			t.Errorf("%s: positions differ %s", path, difference(jsonOf(src, o.version), tree))
		default:
			equal++
		}
	}
	t.Logf("Python %s: %d files: %d equal, %d refused by both, %d refused for their encoding",
		o.version, len(files), equal, refused, encoding)
	if equal < 100 {
		t.Errorf("only %d files were compared", equal)
	}
}
