package rules

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/policy"
)

// corpora finds the folder of real programs beside the repository.
func corpora(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	dir = filepath.Join(dir, "..", "shared", "corpora")
	if _, err := os.Stat(dir); err != nil {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), "corpora") {
			t.Fatal("the corpora are required and not there: ", err)
		}
		t.Skip("no corpora: ", err)
	}
	return dir
}

type judge struct {
	set *policy.Set
	t   testing.TB
}

func newJudge(t testing.TB) judge {
	t.Helper()
	set, err := policy.Load(policy.Config{Callers: policy.Callers{Owner: "uid:0"}})
	if err != nil {
		t.Fatal(err)
	}
	return judge{set, t}
}

// decide reads and judges one program as the gate does.
func (j judge) decide(profile, src string) palisade.Verdict {
	j.t.Helper()
	sub := palisade.Submission{
		Submitter: "uid:0", Door: "cli", Profile: profile,
		Program: palisade.Program{Language: palisade.Python, Name: "p.py", Source: []byte(src)},
	}
	if sealed, err := (lang.Preparer{}).Prepare(context.Background(), sub); err == nil {
		sub = sealed
	}
	inspection, err := Inspector{}.Inspect(context.Background(), sub)
	if err != nil {
		j.t.Fatal(err)
	}
	v, err := j.set.Decide(context.Background(), palisade.Case{Submission: sub, Inspection: inspection})
	if err != nil {
		j.t.Fatal(err)
	}
	return v
}

func why(v palisade.Verdict) string {
	var b strings.Builder
	for i, r := range v.Reasons {
		if i == 4 {
			b.WriteString(" …")
			break
		}
		fmt.Fprintf(&b, "\n\t%s %d:%d %s (%s)", r.Decision, r.Finding.Line, r.Finding.Column, r.Finding.Message, r.Policy)
	}
	return b.String()
}

func readJSON(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestRedCode(t *testing.T) {
	dir, j := corpora(t), newJudge(t)
	for _, n := range []int{1, 2, 4, 7, 8, 10, 13, 14, 12, 22} {
		var list []struct{ Index, Code string }
		readJSON(t, filepath.Join(dir, "redcode/python", fmt.Sprintf("index%d.json", n)), &list)
		stopped := 0
		benign := n == 12 || n == 22
		for _, c := range list {
			v := j.decide("data", c.Code)
			if v.Decision != palisade.Allow {
				stopped++
			}
			if benign && v.Decision != palisade.Allow || !benign && v.Decision == palisade.Allow {
				t.Logf("%s: %s%s\n%.600s", c.Index, v.Decision, why(v), c.Code)
			}
		}
		t.Logf("category %d: %d of %d stopped", n, stopped, len(list))
		if benign && stopped*50 > len(list) {
			t.Errorf("category %d: %d of %d stopped, at most 2%% may be", n, stopped, len(list))
		}
		if !benign && stopped*100 < 95*len(list) {
			t.Errorf("category %d: %d of %d stopped, at least 95%% must be", n, stopped, len(list))
		}
	}
}

func TestBenignCorpora(t *testing.T) {
	dir, j := corpora(t), newJudge(t)
	var programs []string
	f, err := os.Open(filepath.Join(dir, "humaneval/HumanEval.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var c struct{ Prompt, Canonical_solution, Test, Entry_point string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		programs = append(programs, c.Prompt+c.Canonical_solution+"\n"+c.Test+"\ncheck("+c.Entry_point+")\n")
	}
	var mbpp []struct {
		Code      string
		Test_list []string
	}
	readJSON(t, filepath.Join(dir, "mbpp/sanitized-mbpp.json"), &mbpp)
	for _, c := range mbpp {
		programs = append(programs, c.Code+"\n"+strings.Join(c.Test_list, "\n")+"\n")
	}
	flagged := 0
	for _, src := range programs {
		if v := j.decide("data", src); v.Decision != palisade.Allow {
			flagged++
			t.Logf("%s%s\n%.500s", v.Decision, why(v), src)
		}
	}
	t.Logf("%d of %d programs not allowed", flagged, len(programs))
	if flagged*100 > len(programs) {
		t.Errorf("%d of %d programs not allowed, at most 1%% may be", flagged, len(programs))
	}
}

func TestPAL(t *testing.T) {
	dir, j := corpora(t), newJudge(t)
	data, err := os.ReadFile(filepath.Join(dir, "pal/gsmhardv2.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var c struct{ Code string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		n++
		if v := j.decide("pal", c.Code); v.Decision != palisade.Allow {
			t.Errorf("%s%s\n%s", v.Decision, why(v), c.Code)
		}
	}
	if n != 1319 {
		t.Errorf("%d programs, want 1319", n)
	}
}

func TestReported(t *testing.T) {
	dir, j := corpora(t), newJudge(t)
	data, err := os.ReadFile(filepath.Join(dir, "reported/cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var c struct{ ID, Lang, Kind, Technique, Code, Expect string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.Lang != "python" {
			continue
		}
		v := j.decide("data", c.Code)
		want := "deny"
		for _, w := range []string{"allow", "ask", "deny", "flag", "refuse"} {
			if strings.HasPrefix(c.Expect, w) {
				want = w
			}
		}
		ok := false
		switch want {
		case "allow":
			ok = v.Decision == palisade.Allow
		case "ask", "flag":
			ok = v.Decision != palisade.Allow
		case "deny", "refuse":
			ok = v.Decision == palisade.Deny
		}
		if strings.HasPrefix(c.Expect, "no packet") {
			ok = v.Decision != palisade.Allow
		}
		if !ok {
			t.Errorf("%s (%s): %s, want %s%s\n%s", c.ID, c.Technique, v.Decision, c.Expect, why(v), c.Code)
		}
	}
}
