package palisade_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestArchitectureTable compares the map's table with the packages that exist.
func TestArchitectureTable(t *testing.T) {
	data, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	mapped := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z./]+)` \\|").FindAllStringSubmatch(string(data), -1) {
		mapped[m[1]] = true
	}
	module, list := packages(t)
	for _, p := range list {
		name := strings.Trim(strings.TrimPrefix(p.ImportPath, module), "/")
		if name == "" {
			name = "."
		}
		if !strings.HasPrefix(name, "examples/") && !mapped[name] {
			t.Errorf("%s has no row in ARCHITECTURE.md", name)
		}
		delete(mapped, name)
	}
	for name := range mapped {
		t.Errorf("ARCHITECTURE.md has a row for %s, which is no package", name)
	}
}

// TestSpecificationNamesTests holds each promise to a test that exists.
func TestSpecificationNamesTests(t *testing.T) {
	data, err := os.ReadFile("SPECIFICATION.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	promises := regexp.MustCompile(`(?m)^\| (P\d+) \|.*\| ([^|]+) \|$`).FindAllStringSubmatch(string(data), -1)
	if len(promises) < 20 {
		t.Fatalf("only %d promises were read: is the table's form still | P1 | promise | tests |?", len(promises))
	}
	named := regexp.MustCompile("`([^`]+)`")
	for _, p := range promises {
		evidence := named.FindAllStringSubmatch(p[2], -1)
		if len(evidence) == 0 && !strings.Contains(p[2], "[no test yet]") {
			t.Errorf("%s names no test and does not say so", p[1])
		}
		for _, e := range evidence {
			if !tests[e[1]] {
				t.Errorf("%s names %s, which is no test", p[1], e[1])
			}
		}
	}
}

// testNames collects the test functions and the scripts of the tree.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*_test.go", "*.txtar", "internal/sandbox/sandboxtest/*.go").Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	names := map[string]bool{}
	for _, file := range strings.Fields(string(out)) {
		if strings.HasSuffix(file, ".txtar") {
			names[filepath.Base(file)] = true
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			continue // deleted in the working tree
		}
		for _, m := range function.FindAllStringSubmatch(string(data), -1) {
			names[m[1]] = true
		}
	}
	return names
}
