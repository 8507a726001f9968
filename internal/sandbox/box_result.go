package sandbox

import (
	"slices"
	"strings"

	"palisade"
)

// Result joins what was said, and the error with which the conversation ended,
// with what the back-end observed. The status comes from the latter alone.
//
// Where both the conversation and the back-end ended the box, the back-end's
// reason comes first: it saw the order.
func (t Transcript) Result(o Observed, err error) palisade.Result {
	if o.Kill == NotKilled {
		o.Kill = t.Kill
	}
	reasons := []string{o.Reason, t.Reason}
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	o.Reason = strings.Join(slices.DeleteFunc(reasons, func(r string) bool { return r == "" }), "; ")
	r := palisade.Result{
		Status: Judge(t.Started, o), ExitCode: -1, Signal: o.Signal,
		MayHaveRun: t.Started,
		Stdout:     t.Stdout, Stderr: t.Stderr,
		Value: t.Value, Exception: t.Exception, Rich: t.Rich, Artifacts: t.Artifacts,
		Anomalies: t.Anomalies, Activity: o.Activity, Usage: o.Usage, Ready: t.Ready,
	}
	if o.Kill == NotKilled && o.Signal == "" && t.Started && !o.Failed {
		r.ExitCode = o.ExitCode
	}
	switch r.Status {
	case palisade.Refused, palisade.SandboxError, palisade.Aborted:
		r.Reason, r.Fix = o.Reason, o.Fix
	default: // a program's own failure needs no operator
	}
	if t.Started {
		r.LimitsHit = slices.Clone(o.Limits)
	}
	if limit := o.Kill.limit(); limit != "" && t.Started {
		r.LimitsHit = append(r.LimitsHit, limit)
	}
	t.Attempts.addTo(&r.Activity, t.Began)
	slices.Sort(r.LimitsHit)
	r.LimitsHit = slices.Compact(r.LimitsHit)
	r.Usage.BytesWritten = t.Stdout.Total + t.Stderr.Total
	contradictions(&r)
	return r
}

// contradictions drops what the guest said and the host saw otherwise.
func contradictions(r *palisade.Result) {
	if !r.MayHaveRun {
		// Before go only the interpreter itself can have written anything.
		r.Stdout, r.Stderr = palisade.Captured{}, palisade.Captured{}
		return
	}
	if r.Status == palisade.OK && r.Exception != nil {
		r.Anomalies = append(r.Anomalies, "an exception from a program that ended well")
		r.Exception = nil
	}
	if r.Status != palisade.OK && r.Value != nil {
		// A value counts only of a program that ended well.
		r.Value = nil
	}
}
