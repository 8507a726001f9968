package semgrep

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/python"
)

// corpora finds the folder of real programs beside the repository.
func corpora(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../../../shared/corpora")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), "corpora") {
			t.Fatal("the corpora are required and not there: ", err)
		}
		t.Skip("no corpora: ", err)
	}
	return dir
}

// programs returns the benign programs of the corpora, by family.
func programs(t testing.TB) map[string][]string {
	t.Helper()
	dir := corpora(t)
	out := map[string][]string{}
	f := openFile(t, filepath.Join(dir, "pal/gsmhardv2.jsonl"))
	for row := range jsonLines[struct{ Code string }](t, f) {
		out["PAL"] = append(out["PAL"], row.Code)
	}
	z, err := gzip.NewReader(openFile(t, filepath.Join(dir, "humaneval/HumanEval.jsonl.gz")))
	if err != nil {
		t.Fatal(err)
	}
	for row := range jsonLines[struct {
		Prompt   string
		Solution string `json:"canonical_solution"`
		Test     string
	}](t, z) {
		out["HumanEval"] = append(out["HumanEval"], row.Prompt+row.Solution+"\n"+row.Test)
	}
	var list []struct{ Code string }
	if err := json.NewDecoder(openFile(t, filepath.Join(dir, "mbpp/sanitized-mbpp.json"))).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, row := range list {
		out["MBPP"] = append(out["MBPP"], row.Code)
	}
	return out
}

func openFile(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func jsonLines[T any](t testing.TB, r io.Reader) func(func(T) bool) {
	return func(yield func(T) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var row T
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			if !yield(row) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// source makes a program ready; it fails the test where that is no Python.
func source(t testing.TB, code string) Source {
	t.Helper()
	text, err := python.Normalize([]byte(code))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := python.Parse(text, python.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
	return Source{Path: "program.py", Language: palisade.Python, Text: text, Tree: tree}
}

// TestBenign holds the shipped rules to silence on programs that do no harm.
func TestBenign(t *testing.T) {
	e, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for family, list := range programs(t) {
		flagged := 0
		for _, code := range list {
			found, err := e.Match(source(t, code))
			if err != nil {
				t.Errorf("%s: %v\n%s", family, err, code)
			}
			if len(found) > 0 {
				flagged++
				t.Logf("%s: %d: %s: %s\n%s", family, found[0].Line, found[0].Rule.ID, found[0].Message, code)
			}
		}
		t.Logf("%s: %d of %d flagged", family, flagged, len(list))
		if len(list) < 100 || family == "PAL" && flagged > 0 || flagged*1000 > 5*len(list) {
			t.Errorf("%s: %d of %d programs flagged", family, flagged, len(list))
		}
	}
}

func BenchmarkShipped(b *testing.B) {
	e, err := Default()
	if err != nil {
		b.Fatal(err)
	}
	var list []Source
	bytes := 0
	for _, family := range programs(b) {
		for _, code := range family {
			s := source(b, code)
			bytes += len(s.Text)
			list = append(list, s)
		}
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		for _, s := range list {
			if _, err := e.Match(s); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkLoadShipped(b *testing.B) {
	files := Shipped()
	for b.Loop() {
		if _, err := Load(files...); err != nil {
			b.Fatal(err)
		}
	}
}
