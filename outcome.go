package palisade

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sameTrees reports an error unless the interpreter's trees are exactly those
// that were judged.
func sameTrees(judged, reported map[string]Digest) error {
	if len(judged) == 0 || !maps.Equal(judged, reported) {
		return fmt.Errorf("parser differential: the interpreter's trees %v are not those that were judged: %v", reported, judged)
	}
	return nil
}

// inForce reports an error unless a permitted back-end reports every layer that
// the verdict wants, at a strength that will do.
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
	out.Errors = append([]string{}, out.Errors...) // never null in JSON
	out.Success = result.Status == OK
	out.Blocked = result.Status == Aborted
	out.MayHaveRun = result.MayHaveRun
	out.ExitCode, out.Signal = result.ExitCode, result.Signal
	out.LimitsHit = append(out.LimitsHit, result.LimitsHit...)
	out.Artifacts = append(out.Artifacts, result.Artifacts...)
	out.Usage = result.Usage
	out.Sandbox.Backend, out.Sandbox.Layers, out.Sandbox.Runtime = result.Ready.Backend, result.Ready.Layers, result.Ready.Runtime
	return out
}

// blank is an outcome with what the verdict alone tells. Lists are never null
// in JSON.
func (r *run) blank(v Verdict, status Status) Outcome {
	out := Outcome{
		Run: r.id, Decision: v.Decision, Status: status, Blocked: v.Decision != Allow,
		Sanitized: Sanitized{Errors: []string{}}, Approval: r.approval,
		LimitsHit: []string{}, Artifacts: []Artifact{}, Violations: []string{}, Findings: []Finding{},
		Sandbox: SandboxReport{Policy: v.PolicyVersion, Profile: v.Profile, Limits: v.Limits},
	}
	for _, reason := range v.Reasons {
		out.Findings = append(out.Findings, reason.Finding.Public())
		out.Violations = append(out.Violations, reason.Finding.Message)
	}
	return out
}
