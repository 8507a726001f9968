package main

import "palisade"

// exitCode returns the exit code of `palisade run` for an outcome: 0 ran and
// succeeded, 1 the gate or the sandbox failed, 3 denied or aborted by policy,
// 4 waits for a human, 5 the program failed, 124 time limit, 130 interrupted,
// 137 killed or memory limit. 2 is usage or invalid input, and has no outcome.
func exitCode(o palisade.Outcome) int {
	switch o.Status { //exhaustive:enforce
	case palisade.OK:
		return 0
	case palisade.PolicyViolation, palisade.Aborted:
		return 3
	case palisade.ApprovalRequired:
		return 4
	case palisade.RuntimeError, palisade.DiskLimit, palisade.ProcessLimit, palisade.FilesLimit, palisade.OutputLimit:
		return 5
	case palisade.CPULimit, palisade.WallLimit:
		return 124
	case palisade.MemoryLimit, palisade.Killed:
		return 137
	case palisade.Interrupted:
		return 130
	case palisade.Unknown, palisade.Refused, palisade.SandboxError:
		return 1
	}
	return 1
}
