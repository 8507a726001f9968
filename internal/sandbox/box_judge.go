package sandbox

import (
	"slices"

	"palisade"
)

// Kill says why the host ended a box. The zero value: it did not.
type Kill string

// Why a host ends a box.
const (
	NotKilled     Kill = ""
	KillCPU       Kill = "cpu"         // Limits.CPU was used up
	KillWall      Kill = "wall"        // Limits.Wall has passed since go
	KillMemory    Kill = "memory"      // Limits.Memory was passed, or the kernel's OOM killer came
	KillOutput    Kill = "output"      // Limits.Output was passed
	KillCaller    Kill = "interrupted" // the caller went away
	KillEvent     Kill = "event"       // policy ended the run on an event
	KillProtocol  Kill = "protocol"    // a second ready, or more frames than a box may send
	KillRefused   Kill = "refused"     // not confirmed: no byte of the program ran
	KillNotReady  Kill = "not_ready"   // the harness did not report in time, or reported nonsense
	KillBackstage Kill = "backstage"   // the back-end itself failed
)

// limit is the name of the limit that a kill stands for in LimitsHit.
func (k Kill) limit() string {
	switch k {
	case KillCPU, KillWall, KillMemory, KillOutput:
		return string(k)
	default:
		return ""
	}
}

// Observed is what the host saw of how a box ended. Nothing in it comes from
// the guest's own words.
type Observed struct {
	// Kill is the first reason for which the host ended the box.
	Kill Kill
	// ExitCode is what the box's first process ended with; it counts only
	// where Kill and Signal are empty.
	ExitCode int
	// Signal is what ended the box's first process, such as "SIGKILL".
	Signal string
	// Failed says that the back-end itself failed, and Reason how.
	Failed bool
	Reason string
	// Fix says how an end by policy is avoided, in words that are fit to be told.
	Fix string
	// Limits names the limits that only made calls fail and were reached, as
	// the sandbox's kernel or the host's accounting saw it: processes, files,
	// disk, inodes, and memory where it is bounded by address space.
	Limits []string
	// Activity is what was seen to happen since go.
	Activity palisade.Activity
	Usage    palisade.Usage
}

// refusing are the statuses of limits that make a call fail, by the name of the
// limit, in the order in which they are looked for.
var refusing = []struct {
	limit  string
	status palisade.Status
}{
	{"memory", palisade.MemoryLimit},
	{"disk", palisade.DiskLimit},
	{"inodes", palisade.DiskLimit},
	{"processes", palisade.ProcessLimit},
	{"files", palisade.FilesLimit},
}

// Judge says how a run ended. started tells whether go was sent. It is the same
// for every back-end, and depends on nothing that a guest says.
//
// A limit that only makes a call fail is the status only if the program then
// failed; an exit code of 137 is an exit code, not a kill.
func Judge(started bool, o Observed) palisade.Status {
	switch {
	case o.Kill == KillCaller:
		return palisade.Interrupted
	case o.Kill == KillRefused:
		return palisade.Refused
	case !started, o.Failed, o.Kill == KillNotReady, o.Kill == KillBackstage:
		return palisade.SandboxError
	}
	switch o.Kill {
	case NotKilled:
		return judgeEnd(o)
	case KillCPU:
		return palisade.CPULimit
	case KillWall:
		return palisade.WallLimit
	case KillMemory:
		return palisade.MemoryLimit
	case KillOutput:
		return palisade.OutputLimit
	case KillEvent, KillProtocol:
		return palisade.Aborted
	default:
		return palisade.SandboxError
	}
}

// judgeEnd judges a program that ended by itself.
func judgeEnd(o Observed) palisade.Status {
	if o.Signal == "" && o.ExitCode == 0 {
		return palisade.OK
	}
	for _, r := range refusing {
		if slices.Contains(o.Limits, r.limit) {
			return r.status
		}
	}
	if o.Signal != "" {
		return palisade.Killed
	}
	return palisade.RuntimeError
}
