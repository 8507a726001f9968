package palisade

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sameTrees reports an error unless the interpreter's trees are exactly those that were judged.
func sameTrees(judged, reported map[string]Digest) error {
	if len(judged) == 0 || !maps.Equal(judged, reported) {
		return fmt.Errorf("parser differential: the interpreter's trees %v are not those that were judged: %v", reported, judged)
	}
	return nil
}

// inForce reports an error unless a permitted back-end reports every layer that is wanted, strong enough.
func inForce(want Isolation, ready Ready) error {
	if !slices.Contains(want.Backends, ready.Backend) {
		return fmt.Errorf("back-end %q is not one of policy's: %s", ready.Backend, strings.Join(want.Backends, ", "))
	}
	for _, layer := range slices.Sorted(maps.Keys(want.Layers)) {
		got := ready.Layers[layer]
		if got == "" || !slices.Contains(strings.Split(want.Layers[layer], "|"), got) {
			return fmt.Errorf("layer %s is %q, policy wants %s", layer, got, want.Layers[layer])
		}
	}
	return nil
}

// refusal is the outcome of a case that did not run.
func (r *run) refusal(v Verdict) Outcome {
	status := PolicyViolation
	if v.Decision == Ask {
		status = ApprovalRequired
	}
	out := r.blank(v, status)
	out.Feedback = r.Sanitizer.Refusal(r.c, v, r.approval)
	return out
}

// outcome is the outcome of a case that was handed to a sandbox.
func (r *run) outcome(v Verdict, result Result) Outcome {
	out := r.blank(v, result.Status)
	out.Sanitized = r.Sanitizer.Sanitize(r.c, v, result)
	out.Success, out.Blocked, out.MayHaveRun = result.Status == OK, result.Status == Aborted, result.MayHaveRun
	out.ExitCode, out.Signal, out.Usage = result.ExitCode, result.Signal, result.Usage
	out.LimitsHit, out.Artifacts = result.LimitsHit, result.Artifacts
	out.Sandbox.Backend, out.Sandbox.Layers, out.Sandbox.Runtime = result.Ready.Backend, result.Ready.Layers, result.Ready.Runtime
	return out
}

// Complete makes what is nil empty: no list is null in JSON.
func (o *Outcome) Complete() {
	o.LimitsHit, o.Violations = append([]string{}, o.LimitsHit...), append([]string{}, o.Violations...)
	o.Errors, o.Feedback.Next = append([]string{}, o.Errors...), append([]string{}, o.Feedback.Next...)
	o.Artifacts, o.Findings = append([]Artifact{}, o.Artifacts...), append([]Finding{}, o.Findings...)
	o.Sandbox.Layers = maps.Collect(maps.All(o.Sandbox.Layers))
	o.Activity.Acts, o.Activity.Counts = append([]Act{}, o.Activity.Acts...), maps.Collect(maps.All(o.Activity.Counts))
}

// blank is an outcome with what the verdict alone tells.
func (r *run) blank(v Verdict, status Status) Outcome {
	out := Outcome{
		Run: r.id, Decision: v.Decision, Status: status, Blocked: v.Decision != Allow,
		Approval: r.approval, Sandbox: SandboxReport{Policy: v.PolicyVersion, Profile: v.Profile, Limits: v.Limits},
	}
	for _, reason := range v.Reasons {
		out.Findings, out.Violations = append(out.Findings, reason.Finding.Public()), append(out.Violations, reason.Finding.Message)
	}
	return out
}
