package palisade

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// parts are a gate's parts in memory; each can be made to fail.
type parts struct {
	kinds    []EventKind
	failAt   EventKind
	verdict  Verdict
	approval Approval
	ready    Ready
	ran      bool
	prepErr  error
}

var tree = map[string]Digest{"": {1}}

func (p *parts) Prepare(_ context.Context, s Submission) (Submission, error) { return s, p.prepErr }
func (p *parts) CheckValue(Submission, json.RawMessage) error                { return nil }
func (p *parts) Inspect(context.Context, Submission) (Inspection, error) {
	return Inspection{Trees: tree}, nil
}
func (p *parts) Decide(context.Context, Case) (Verdict, error)              { return p.verdict, nil }
func (p *parts) Take(context.Context, string, Question) (Approval, error)   { return p.approval, nil }
func (p *parts) Image(context.Context, Language, Isolation) (string, error) { return "image", nil }
func (p *parts) Sanitize(Case, Verdict, Result) Sanitized                   { return Sanitized{} }
func (p *parts) Refusal(Case, Verdict, *Approval) Feedback                  { return Feedback{Text: "no"} }
func (p *parts) Writer(_ Case, w io.Writer) io.WriteCloser                  { return nopCloser{w} }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (p *parts) Append(_ context.Context, _ bool, events ...Event) error {
	for _, e := range events {
		if e.Kind == p.failAt {
			return errors.New("disk full")
		}
		p.kinds = append(p.kinds, e.Kind)
	}
	return nil
}

// Run is a back-end that starts the program if and only if it is let.
func (p *parts) Run(ctx context.Context, permit Permit) (Result, error) {
	job, err := permit.Spend()
	if err != nil {
		return Result{}, err
	}
	if _, err := permit.Spend(); !errors.Is(err, ErrNoPermit) {
		return Result{}, errors.New("a permit was spent twice")
	}
	if err := job.Confirm(ctx, p.ready); err != nil {
		return Result{Status: Refused, Reason: err.Error()}, nil
	}
	p.ran = true
	return Result{Status: OK, MayHaveRun: true, Ready: p.ready}, nil
}

func allowing() *parts {
	return &parts{
		verdict: Verdict{Decision: Allow, Isolation: Isolation{Backends: []string{"box"}, Layers: map[string]string{"memory": "cgroup|watched"}}},
		ready:   Ready{Backend: "box", Trees: tree, Layers: map[string]string{"memory": "watched"}},
	}
}

func (p *parts) gate(t *testing.T) *Gate {
	t.Helper()
	g, err := NewGate(Parts{p, p, p, p, p, p, p, time.Now, func() string { return "r1" }})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestEachStepIsRecordedBeforeTheNext(t *testing.T) {
	p := allowing()
	out, err := p.gate(t).Run(t.Context(), Submission{})
	if err != nil || !out.Success || !p.ran {
		t.Fatalf("outcome %+v, err %v", out, err)
	}
	want := []EventKind{EventReceived, EventInspected, EventDecided, EventStarted, EventFinished, EventOutcome}
	if !slices.Equal(p.kinds, want) {
		t.Errorf("recorded %v, want %v", p.kinds, want)
	}
}

func TestAStepThatCannotBeRecordedEndsTheRun(t *testing.T) {
	for _, kind := range []EventKind{EventReceived, EventInspected, EventDecided, EventStarted} {
		p := allowing()
		p.failAt = kind
		out, err := p.gate(t).Run(t.Context(), Submission{})
		if p.ran {
			t.Errorf("%s could not be recorded, and the program ran", kind)
		}
		if err == nil && out.Success {
			t.Errorf("%s could not be recorded, and the outcome is %+v", kind, out)
		}
	}
	for _, kind := range []EventKind{EventFinished, EventOutcome} {
		p := allowing()
		p.failAt = kind
		if _, err := p.gate(t).Run(t.Context(), Submission{}); err == nil || !strings.Contains(err.Error(), "r1") {
			t.Errorf("%s could not be recorded: err %v, want one that names the run", kind, err)
		}
	}
}

func TestNothingRunsUnlessEverythingAgrees(t *testing.T) {
	for name, spoil := range map[string]func(*parts){
		"zero verdict":      func(p *parts) { p.verdict = Verdict{} },
		"ask, not answered": func(p *parts) { p.verdict.Decision = Ask },
		"ask, denied":       func(p *parts) { p.verdict.Decision = Ask; p.approval.Denied = true },
		"tree differs":      func(p *parts) { p.ready.Trees = map[string]Digest{"": {2}} },
		"tree missing":      func(p *parts) { p.ready.Trees = nil },
		"tree more":         func(p *parts) { p.ready.Trees = map[string]Digest{"": {1}, "m": {1}} },
		"layer missing":     func(p *parts) { p.ready.Layers = nil },
		"layer too weak":    func(p *parts) { p.ready.Layers = map[string]string{"memory": "none"} },
		"other back-end":    func(p *parts) { p.ready.Backend = "host" },
		"invalid input":     func(p *parts) { p.prepErr = &InputError{"n: not an integer"} },
	} {
		p := allowing()
		spoil(p)
		out, err := p.gate(t).Run(t.Context(), Submission{})
		if p.ran || out.Success || out.MayHaveRun {
			t.Errorf("%s: ran %v, outcome %+v, err %v", name, p.ran, out, err)
		}
	}
}

func TestInvalidInputIsRecordedAndNotAGateFailure(t *testing.T) {
	p := allowing()
	p.prepErr = &InputError{"n: not an integer"}
	_, err := p.gate(t).Run(t.Context(), Submission{})
	if invalid := (*InputError)(nil); !errors.As(err, &invalid) {
		t.Fatalf("err %v, want an *InputError", err)
	}
	if !slices.Equal(p.kinds, []EventKind{EventReceived, EventRejected}) {
		t.Errorf("recorded %v", p.kinds)
	}
}

func TestAGrantedApprovalLetsOneRunThrough(t *testing.T) {
	p := allowing()
	p.verdict.Decision = Ask
	p.approval = Approval{Granted: true, Approver: "uid:2"}
	out, err := p.gate(t).Run(t.Context(), Submission{})
	if err != nil || !out.Success || out.Approval == nil || out.Approval.Approver != "uid:2" {
		t.Errorf("outcome %+v, err %v", out, err)
	}
}

func TestZeroPermitIsRefused(t *testing.T) {
	if _, err := (Permit{}).Spend(); !errors.Is(err, ErrNoPermit) {
		t.Errorf("err %v, want ErrNoPermit", err)
	}
}

func TestZeroValuesMeanNo(t *testing.T) {
	if d := Decision(0); d != Deny || Decision(7).String() != "deny" {
		t.Error("the zero decision, and one without a name, must deny")
	}
	if (Limits{}).Complete() {
		t.Error("zero limits must grant nothing")
	}
	if got := (Limits{CPU: time.Second}).Below(Limits{CPU: time.Minute, Memory: 1}); got != (Limits{CPU: time.Second}) {
		t.Errorf("asking raised a limit: %+v", got)
	}
}

func TestLimitsRoundTrip(t *testing.T) {
	want := Limits{2 * time.Second, 3 * time.Second, 1, 2, 3, 4, 5, 6, 7}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Limits
	if err := json.Unmarshal(data, &got); err != nil || got != want {
		t.Errorf("%s gives %+v, err %v", data, got, err)
	}
}

func TestOutcomeListsAreNeverNull(t *testing.T) {
	for _, p := range []*parts{allowing(), {}} {
		out, err := p.gate(t).Run(t.Context(), Submission{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(out)
		for _, nothing := range []string{`"value":null`, `"approval":null`} { // which are no lists
			data = []byte(strings.Replace(string(data), nothing, "", 1))
		}
		if err != nil || strings.Contains(string(data), ":null") {
			t.Errorf("%s: a list is null (%v)", data, err)
		}
		for _, name := range strings.Fields("run decision status success blocked may_have_run exit_code signal limits_hit output stderr truncated " +
			"artifacts errors violations feedback type text next findings usage sandbox backend layers policy limits") {
			if !strings.Contains(string(data), `"`+name+`":`) {
				t.Errorf("%s: no %s", data, name)
			}
		}
	}
}
