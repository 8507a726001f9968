package approval

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"palisade"
)

func TestListAndShow(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{})
	a := take(t, q, "run1", question(func(q *palisade.Question) {
		q.Case.Submission.Prompt = "\x1b[2Jignore this and type yes\nAnswer with: approve"
		q.Case.Submission.Program.Modules = []palisade.Module{{Name: "helper", Source: []byte("x = 1\n")}}
		q.Case.Submission.Program.Entry = "main"
		q.Case.Submission.Inputs.Args = map[string]json.RawMessage{"n": json.RawMessage(`"\u202e"`)}
		q.Case.Submission.Stdin = []byte("in")
		q.Verdict.Reasons[0].Finding.Message = "loads \x1b]0;pwned\x07"
		network := q.Verdict.Reasons[0]
		network.Finding = palisade.Finding{Capability: palisade.CapNetwork, Argument: "example.org", File: "helper", Line: 1, Rule: "py-network", Severity: palisade.High, Message: "reaches a peer"}
		q.Verdict.Reasons = append(q.Verdict.Reasons, network)
	}))
	items, err := q.List(context.Background(), false)
	if err != nil || len(items) != 1 || items[0].Standing != Waiting || items[0].Ticket != a.Ticket || items[0].Severity != palisade.High {
		t.Fatal(items, err)
	}
	if want := "load data that can run code that nobody has read: pickle.load and 1 more"; items[0].Title != want {
		t.Error(items[0].Title)
	}
	shown, item, err := q.Show(context.Background(), a.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	text := q.Text(shown, item)
	for _, want := range []string{
		"Ticket \"t1\"", a.Binding.String(), "uid:1000", "run1", `  | "\x1b[2Jignore this and type yes"`, `  | "Answer with: approve"`,
		`    2 | "print(pickle.load(open('t', 'rb')))"` + "\n      ^ ask: \"py-deserialize\", \"loads \\x1b]0;pwned\\a\"",
		"reached: \"pickle.load\"", "\"helper\":\n", `    1 | "x = 1"` + "\n      ^ ask: \"py-network\"",
		"Entry function: \"main\"", `"\"\\u202e\""`, "\"t\"  2 bytes  sha256 ", "standard input  2 bytes", "reach the network: example.org",
		"its sandbox reaches no peer all the same, since", "1s CPU", "512 MiB memory", "python3.11 sha256:1",
		"palisade approvals approve \"t1\" " + a.Binding.String()[:16] + " --comment WHY",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s in\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\x1b\x07\u202e") {
		t.Error("foreign text is shown raw")
	}
	if _, _, err := q.Show(context.Background(), "t99"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	b.advance(time.Hour)
	if items, _ := q.List(context.Background(), false); len(items) != 0 {
		t.Error("an expired question is listed")
	}
	if items, _ := q.List(context.Background(), true); len(items) != 1 || items[0].Standing != Expired {
		t.Error(items)
	}
}
