package feedback

import (
	"fmt"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/redact"
)

// TestActivity: what is told of a program's acts is bounded, clean, and what
// matters most; what is left out is counted.
func TestActivity(t *testing.T) {
	a := palisade.Activity{Counts: map[string]int64{"open": 500, "exec": 1}, Dropped: 7}
	for i := range 500 {
		a.Acts = append(a.Acts, palisade.Act{Millis: int64(i), Kind: "open", What: fmt.Sprintf("/work/%d", i), Count: 2})
	}
	a.Acts[300].Kind, a.Acts[300].What, a.Acts[300].Detail = "exec", "/bin/\x1b[31msh\u202e\xff", "sh "+sampleKey
	a.Acts[310] = palisade.Act{Kind: "connect", What: "10.0.0.1:80 " + strings.Repeat("x", 4096), Refused: true, Detail: "ENETUNREACH"}
	a.Acts[320] = palisade.Act{Kind: "delete", What: "/var/lib/palisade/log"}
	a.Acts[330] = palisade.Act{Kind: "open", What: "/etc/shadow", Refused: true, Detail: "EACCES"}
	got := newSanitizer(t).Sanitize(caseOf(program), verdict(), palisade.Result{Status: palisade.OK, Activity: a}).Activity
	if len(got.Acts) != maxActs || got.Counts["open"] != 500 {
		t.Fatalf("%d acts, %v", len(got.Acts), got.Counts)
	}
	var listed int64
	at := int64(-1)
	for _, act := range got.Acts {
		listed += max(act.Count, 1)
		for _, text := range []string{act.What, act.Detail} {
			if redact.EscapeLine(text) != text || len(text) > maxName || strings.Contains(text, sampleKey) || strings.Contains(text, "/var/lib/palisade") {
				t.Errorf("%q is not clean", text)
			}
		}
		if act.What == "/etc/shadow" || act.Kind == "connect" || act.Kind == "delete" {
			continue // made without a time
		}
		if act.Millis < at {
			t.Errorf("%+v is out of order", act)
		}
		at = act.Millis
	}
	all := fmt.Sprint(got.Acts)
	for _, want := range []string{"exec /bin/sh", "connect 10.0.0.1:80 x", "delete [redacted:host-path]", "/etc/shadow", "/work/0 "} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing of %s in %.400s", want, all)
		}
	}
	if total := int64(496*2 + 1 + 1 + 1 + 1 + 1 + 7); listed+got.Dropped != total { // the exec keeps its count of 2
		t.Errorf("%d listed, %d dropped, of %d", listed, got.Dropped, total)
	}
	if len(a.Acts) != 500 || a.Dropped != 7 {
		t.Error("the record's activity was changed")
	}
}

// TestAborted: a model learns which act it was.
func TestAborted(t *testing.T) {
	got := newSanitizer(t).Sanitize(caseOf(program), verdict(), palisade.Result{
		Status: palisade.Aborted, MayHaveRun: true, Reason: "policy ends a run on exec", Fix: "executing a program ended the run",
	})
	if len(got.Feedback.Next) == 0 || got.Feedback.Next[0] != "executing a program ended the run" || !strings.Contains(strings.Join(got.Feedback.Next, " "), "work around") {
		t.Errorf("%q", got.Feedback.Next)
	}
	checkAll(t, got)
}
