package local_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"palisade"
	"palisade/local"
)

// everything runs the whole of each corpus, which takes minutes; without it a
// sample does.
var everything = os.Getenv("PALISADE_DETERMINISM") == "all"

// TestDeterministic runs each program twice, in sandboxes of their own, and
// wants the same bytes: status, output, errors, value, pictures and files.
func TestDeterministic(t *testing.T) {
	gate := open(t, local.Config{Home: roomyHome(t), Door: "cli"})
	t.Run("data", func(t *testing.T) {
		twice(t, gate, sample(ownPrograms(t), 8), map[string]palisade.Status{"failing.py": palisade.RuntimeError})
	})
	t.Run("pal", func(t *testing.T) { twice(t, gate, sample(palPrograms(t), 12), nil) })
	t.Run("humaneval", func(t *testing.T) { twice(t, gate, sample(humanEval(t), 6), nil) })
}

// roomyHome has profiles for a machine that is busy otherwise.
func roomyHome(t *testing.T) string {
	home := t.TempDir()
	policy := "version: 1\nprofiles:\n"
	for _, name := range []string{"pal", "data"} {
		policy += fmt.Sprintf("  roomy-%s: {extends: %s, limits: {wall: 10m, cpu: 5m}}\n", name, name)
	}
	for name, text := range map[string]string{"config.yaml": "policy: [roomy.yaml]\n", "roomy.yaml": policy} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// twice runs every program two times. Those that are not in ends end well.
func twice(t *testing.T, gate *local.Gate, programs []palisade.Submission, ends map[string]palisade.Status) {
	if len(programs) == 0 {
		t.Fatal("there are no programs")
	}
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(2)
	for _, s := range programs {
		s.Deterministic = true
		group.Go(func() error {
			first, err := gate.Run(ctx, s)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Program.Name, err)
			}
			second, err := gate.Run(ctx, s)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Program.Name, err)
			}
			want := ends[s.Program.Name]
			if want == "" {
				want = palisade.OK
			}
			if first.Status != want || first.Sandbox.Layers["determinism"] == "" {
				t.Errorf("%s: %s, want %s; layers %v\n%s%v", s.Program.Name, first.Status, want, first.Sandbox.Layers, first.Stderr, first.Violations)
			}
			if a, b := bytesOf(t, first), bytesOf(t, second); a != b {
				t.Errorf("%s gave two results:\n%s\n%s", s.Program.Name, a, b)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d programs, each twice", len(programs))
}

// bytesOf is what of an outcome must be the same: all but its name, and the time
// and space that it took.
func bytesOf(t *testing.T, o palisade.Outcome) string {
	o.Run, o.Usage = "", palisade.Usage{}
	o.Feedback.Text = "" // frames the output, with a mark of the run's own
	for i := range o.Activity.Acts {
		o.Activity.Acts[i].Millis = 0 // on the host's clock
	}
	data, err := json.Marshal(o)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// sample takes n of the programs, evenly, or all.
func sample(programs []palisade.Submission, n int) []palisade.Submission {
	if everything || len(programs) <= n {
		return programs
	}
	var some []palisade.Submission
	for i := range n {
		some = append(some, programs[i*len(programs)/n])
	}
	return some
}

// ownPrograms are those of testdata/deterministic: numpy, pandas, matplotlib,
// chance, clocks, files, threads.
func ownPrograms(t *testing.T) []palisade.Submission {
	files, err := filepath.Glob("../testdata/deterministic/*.py")
	if err != nil {
		t.Fatal(err)
	}
	var all []palisade.Submission
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := program(string(source))
		s.Program.Name, s.Profile = filepath.Base(file), "roomy-data"
		all = append(all, s)
	}
	return all
}

// corpusFile reads a file of the corpora beside the repository.
func corpusFile(t *testing.T, name string) []byte {
	data, err := os.ReadFile(filepath.Join("../../shared/corpora", name))
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), "corpora") {
			t.Fatalf("corpora are required: %v", err)
		}
		t.Skipf("no corpora: %v", err)
	}
	return data
}

func palPrograms(t *testing.T) (all []palisade.Submission) {
	for line := range bytes.Lines(corpusFile(t, "pal/gsmhardv2.jsonl")) {
		var row struct{ Code string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		s := program(row.Code)
		s.Program.Name, s.Program.Entry, s.Profile = fmt.Sprintf("pal-%d.py", len(all)), "solution", "roomy-pal"
		all = append(all, s)
	}
	return all
}

func humanEval(t *testing.T) (all []palisade.Submission) {
	unzipped, err := gzip.NewReader(bytes.NewReader(corpusFile(t, "humaneval/HumanEval.jsonl.gz")))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			ID       string `json:"task_id"`
			Prompt   string `json:"prompt"`
			Solution string `json:"canonical_solution"`
			Test     string `json:"test"`
			Entry    string `json:"entry_point"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		s := program(row.Prompt + row.Solution + row.Test + "\ncheck(" + row.Entry + ")\nprint('passed', " + row.Entry + ")\n")
		s.Program.Name, s.Profile = strings.ReplaceAll(row.ID, "/", "-")+".py", "roomy-data"
		all = append(all, s)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestOtherwiseNothingIsFixed holds runs that are not deterministic to chance and
// the host's clock, beside one that is.
func TestOtherwiseNothingIsFixed(t *testing.T) {
	gate := open(t, local.Config{Home: t.TempDir()})
	s := program("import secrets, time\nprint(secrets.token_hex(8), hash('a'), int(time.time()))\n")
	seen := map[string]bool{}
	for _, deterministic := range []bool{true, false, true, false} {
		s.Deterministic = deterministic
		out, err := gate.Run(t.Context(), s)
		if err != nil || !out.Success {
			t.Fatalf("%+v, %v", out, err)
		}
		if fixed := out.Sandbox.Layers["determinism"] != ""; fixed != deterministic {
			t.Errorf("deterministic %t, layers %v", deterministic, out.Sandbox.Layers)
		}
		var token string
		var hash, now int64
		if _, err := fmt.Sscan(out.Output, &token, &hash, &now); err != nil {
			t.Fatalf("%q: %v", out.Output, err)
		}
		if off := time.Since(time.Unix(now, 0)).Abs(); deterministic == (off < time.Hour) {
			t.Errorf("deterministic %t, and the clock shows %d", deterministic, now)
		}
		seen[token] = true
	}
	if len(seen) != 3 {
		t.Errorf("tokens %v: want one twice, and two others", seen)
	}
}
