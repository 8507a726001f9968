package local_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"palisade"
	"palisade/internal/approval"
	"palisade/local"
)

const asking = `version: 1
profiles:
  careful:
    extends: pal
    approvals: {count: 2}
    conditions: [{when: "program.bytes > 0", then: ask, why: everything is asked}]
`

// TestApprovedByTwo takes a submission from the question to its run in a real
// box: two humans must say yes, one run of many gets it, and a changed byte of
// anything asks anew.
func TestApprovedByTwo(t *testing.T) {
	home := t.TempDir()
	policy := func(text string) {
		if err := os.WriteFile(filepath.Join(home, "policy.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	policy(asking)
	settings := "policy: [policy.yaml]\ndefault_profile: careful\n"
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	gate := open(t, local.Config{Home: home, Submitter: "user:1"})
	submission := func() palisade.Submission {
		s := program("def answer(n):\n    return n * 7\n")
		s.Prompt, s.Program.Entry = "six times seven", "answer"
		s.Inputs.Args = map[string]jsonText{"n": jsonText("6")}
		s.Files = []palisade.File{{Name: "table.csv", Data: []byte("a,b\n")}}
		return s
	}
	run := func(s palisade.Submission) palisade.Outcome {
		t.Helper()
		out, err := gate.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	approve := func(a *palisade.Approval, who string) palisade.Approval {
		t.Helper()
		q, err := local.OpenApprovals(t.Context(), local.Config{Home: home})
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		got, err := q.Answer(t.Context(), approval.Decision{Ticket: a.Ticket, Digest: a.Binding.String(), Approver: who, Approve: true, Comment: "looked"})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}

	asked := run(submission())
	if asked.Status != palisade.ApprovalRequired || asked.Approval == nil {
		t.Fatalf("%s", asked.Status)
	}
	if got := approve(asked.Approval, "user:2"); got.Granted {
		t.Error("one yes was enough")
	}
	if out := run(submission()); out.Status != palisade.ApprovalRequired || out.Approval.Ticket != asked.Approval.Ticket {
		t.Errorf("after one yes: %s", out.Status)
	}
	if got := approve(asked.Approval, "user:3"); !got.Granted {
		t.Error("two yes were not enough")
	}

	for what, change := range map[string]func(*palisade.Submission){
		"code":         func(s *palisade.Submission) { s.Program.Source = []byte("def answer(n):\n    return n * 8\n") },
		"input":        func(s *palisade.Submission) { s.Inputs.Args["n"] = jsonText("7") },
		"file":         func(s *palisade.Submission) { s.Files[0].Data = []byte("a,c\n") },
		"file's name":  func(s *palisade.Submission) { s.Files[0].Name = "table.tsv" },
		"prompt":       func(s *palisade.Submission) { s.Prompt += "!" },
		"conversation": func(s *palisade.Submission) { s.Conversation = "another" },
		"submitter":    func(s *palisade.Submission) { s.Submitter = "user:4" },
		"tenant":       func(s *palisade.Submission) { s.Tenant = "blue" },
		"limits":       func(s *palisade.Submission) { s.Lower.Memory = 64 << 20 },
		"stdin":        func(s *palisade.Submission) { s.Stdin = []byte("x") },
	} {
		s := submission()
		change(&s)
		if out := run(s); out.Status != palisade.ApprovalRequired || out.Approval.Ticket == asked.Approval.Ticket {
			t.Errorf("with another %s: %s, ticket %s", what, out.Status, out.Approval.Ticket)
		}
	}
	policy(asking + "    hints: {os: none}\n")
	other := open(t, local.Config{Home: home, Submitter: "user:1"})
	if out, err := other.Run(t.Context(), submission()); err != nil || out.Status != palisade.ApprovalRequired {
		t.Errorf("with another policy: %s, %v", out.Status, err)
	}

	// Of many at once, one gets it.
	var ran, asks atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			out, err := gate.Run(t.Context(), submission())
			switch {
			case err != nil:
				t.Error(err)
			case out.Status == palisade.OK && string(out.Value) == "42" && out.Approval.Approver == "user:2, user:3":
				ran.Add(1)
			case out.Status == palisade.ApprovalRequired && !out.MayHaveRun:
				asks.Add(1)
			default:
				t.Errorf("%s %s %+v", out.Status, out.Value, out.Approval)
			}
		})
	}
	wg.Wait()
	if ran.Load() != 1 || asks.Load() != 7 {
		t.Errorf("%d ran, %d were asked", ran.Load(), asks.Load())
	}
}

type jsonText = json.RawMessage
