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
	if len(judged) == 0 {
		return fmt.Errorf("no tree was judged")
	}
	if len(judged) != len(reported) {
		return fmt.Errorf("parser differential: %d trees judged, %d reported", len(judged), len(reported))
	}
	for _, name := range slices.Sorted(maps.Keys(judged)) {
		if got, ok := reported[name]; !ok || got != judged[name] {
			return fmt.Errorf("parser differential: the interpreter's tree of %q is not the one that was judged", name)
		}
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
	clean := r.Sanitizer.Sanitize(r.c, v, result)
	out := r.blank(v, result.Status)
	out.Success = result.Status == OK
	out.Blocked = result.Status == Aborted
	out.MayHaveRun = result.MayHaveRun
	out.ExitCode, out.Signal = result.ExitCode, result.Signal
	out.LimitsHit = append(out.LimitsHit, result.LimitsHit...)
	out.Output, out.Stderr, out.Truncated = clean.Output, clean.Stderr, clean.Truncated
	out.Value, out.Rich = clean.Value, clean.Rich
	out.Artifacts = append(out.Artifacts, result.Artifacts...)
	out.Errors = append(out.Errors, clean.Errors...)
	out.Feedback = clean.Feedback
	out.Usage = result.Usage
	out.Sandbox.Backend, out.Sandbox.Layers, out.Sandbox.Runtime = result.Ready.Backend, result.Ready.Layers, result.Ready.Runtime
	return out
}

// blank is an outcome with what the verdict alone tells. Lists are never null
// in JSON.
func (r *run) blank(v Verdict, status Status) Outcome {
	out := Outcome{
		Run: r.id, Decision: v.Decision, Status: status, Blocked: v.Decision != Allow,
		LimitsHit: []string{}, Artifacts: []Artifact{}, Errors: []string{}, Violations: []string{}, Findings: []Finding{},
		Approval: r.approval,
		Sandbox:  SandboxReport{Policy: v.PolicyVersion, Profile: v.Profile, Limits: v.Limits},
	}
	for _, reason := range v.Reasons {
		out.Findings = append(out.Findings, reason.Finding.Public())
		out.Violations = append(out.Violations, reason.Finding.Message)
	}
	return out
}

// Exit returns the exit code that stands for the outcome on a command line:
// 0 ran and succeeded, 1 the gate or the sandbox failed, 3 denied or aborted,
// 4 waits for a human, 5 the program failed, 124 time limit, 137 killed.
func (o Outcome) Exit() int {
	switch o.Status {
	case OK:
		return 0
	case PolicyViolation, Aborted:
		return 3
	case ApprovalRequired:
		return 4
	case RuntimeError, DiskLimit, ProcessLimit, FilesLimit, OutputLimit:
		return 5
	case CPULimit, WallLimit:
		return 124
	case MemoryLimit, Killed:
		return 137
	case Interrupted:
		return 130
	default:
		return 1
	}
}
