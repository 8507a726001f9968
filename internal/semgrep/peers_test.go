package semgrep

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/python"
)

// peers returns a folder of Semgrep's own tests below the one that
// PALISADE_PEERS names: see docs/peers.md.
func peers(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("PALISADE_PEERS")
	if dir == "" {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), "peers") {
			t.Fatal("the peers' tests are required, and PALISADE_PEERS names no folder")
		}
		t.Skip("PALISADE_PEERS names no folder with the peers' tests: docs/peers.md says how to get them")
	}
	return filepath.Join(dir, name)
}

// glob lists files; none is a fault.
func globFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

// rate counts marks that are as they should be.
type rate struct{ good, all int }

func (r *rate) count(ok bool) {
	r.all++
	if ok {
		r.good++
	}
}

func (r rate) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%)", r.good, r.all, 100*float64(r.good)/float64(max(1, r.all)))
}

// atLeast fails a test whose rate is below a target, in percent.
func (r rate) atLeast(t *testing.T, what string, percent int) {
	t.Helper()
	t.Logf("%s: %s", what, r)
	if r.all == 0 || r.good*100 < r.all*percent {
		t.Errorf("%s: %s, at least %d %% are wanted", what, r, percent)
	}
}

// peerLines returns the lines on which a pattern of the peers starts to match.
func peerLines(src []byte, pattern string) (map[int]bool, error) {
	p, err := parsePattern(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern: %w", err)
	}
	text, err := python.Normalize(src)
	if err != nil {
		return nil, err
	}
	tree, err := python.Parse(text, python.Options{Version: python.Version{Major: 3, Minor: 14}})
	if err != nil {
		return nil, fmt.Errorf("the program: %w", err)
	}
	m := &matcher{file: newFile(Source{Text: text}, tree), options: defaults()}
	lines := map[int]bool{}
	for _, h := range m.find(p) {
		lines[h.from.line()] = true
	}
	return lines, nil
}

// TestPeersPatterns runs Semgrep's tests of single patterns: a mark ERROR or
// MATCH says that a match starts on the next line, OK that none does. What
// cannot be read counts as not matched.
func TestPeersPatterns(t *testing.T) {
	root := peers(t, "semgrep/tests/patterns")
	want, not := regexp.MustCompile(`(ERROR|MATCH):`), regexp.MustCompile(`OK:`)
	var must, mustNot rate
	for _, file := range globFiles(t, filepath.Join(root, "python/*.py")) {
		name := strings.TrimSuffix(filepath.Base(file), ".py")
		pattern, err := os.ReadFile(filepath.Join(root, "python", name+".sgrep"))
		if err != nil {
			if pattern, err = os.ReadFile(filepath.Join(root, "POLYGLOT", name+".sgrep")); err != nil {
				t.Logf("%s has no pattern", name)
				continue
			}
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := peerLines(src, string(pattern))
		if err != nil {
			t.Logf("%s: %v", name, err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			found := lines[i+2]
			switch {
			case want.MatchString(line):
				must.count(found)
				if !found {
					t.Logf("%s:%d: missed", name, i+2)
				}
			case not.MatchString(line):
				mustNot.count(!found)
				if found {
					t.Logf("%s:%d: found, and must not be", name, i+2)
				}
			}
		}
	}
	must.atLeast(t, "must match", 85)
	mustNot.atLeast(t, "must not match", 95)
}

// TestPeersRules runs Semgrep's tests of whole rules for Python, by their
// marks. A rule that is refused is listed by name; its marks count as missed.
func TestPeersRules(t *testing.T) {
	must, mustNot := peerMarks(t, globFiles(t, filepath.Join(peers(t, "semgrep/tests/rules"), "*.py")))
	must.atLeast(t, "ruleid", 80)
	mustNot.atLeast(t, "ok", 95)
}

// TestPeersRegistry runs the rules for Python that Semgrep publishes.
func TestPeersRegistry(t *testing.T) {
	var files []string
	err := filepath.WalkDir(peers(t, "semgrep-rules/python"), func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".py") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	must, mustNot := peerMarks(t, files)
	must.atLeast(t, "ruleid", 85)
	mustNot.atLeast(t, "ok", 95)
}

// peerMarks holds rule files to the marks of the programs beside them.
func peerMarks(t *testing.T, files []string) (must, mustNot rate) {
	refused := map[string]string{}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".py")
		rules, err := os.ReadFile(name + ".yaml")
		if err != nil {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, err := peerRule(filepath.Base(name), rules, src)
		if err != nil {
			refused[name] = err.Error()
		}
		for id, lines := range annotations(string(src)) {
			for line, want := range lines {
				switch want {
				case expectMatch:
					must.count(found[id][line])
				case expectNone:
					mustNot.count(!found[id][line])
				}
				if want == expectMatch && err == nil && !found[id][line] || want == expectNone && found[id][line] {
					t.Logf("%s:%d: %s: found %v", name, line, id, found[id][line])
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		first, _, _ := strings.Cut(refused[name], "\n")
		t.Logf("refused: %s", first)
	}
	return must, mustNot
}

func peerRule(name string, rules, src []byte) (map[string]map[int]bool, error) {
	e, err := Load(File{name + ".yaml", rules})
	if err != nil {
		return nil, err
	}
	text, err := python.Normalize(src)
	if err != nil {
		return nil, err
	}
	found, err := e.Match(Source{Path: name + ".py", Language: palisade.Python, Text: text})
	if err != nil {
		return nil, err
	}
	out := map[string]map[int]bool{}
	for _, m := range found {
		if out[m.Rule.ID] == nil {
			out[m.Rule.ID] = map[int]bool{}
		}
		out[m.Rule.ID][m.Line] = true
	}
	return out, nil
}
