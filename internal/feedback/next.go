package feedback

import (
	"fmt"
	"strings"

	"palisade"
)

// next says what can be done about how a run ended. It is written for a model
// as much as for a human: concrete, and clear about what not to try.
func next(v palisade.Verdict, r palisade.Result, t teller) []string {
	l := v.Limits
	switch r.Status {
	case palisade.OK:
		return nil
	case palisade.RuntimeError:
		return repair(v, r, t)
	case palisade.CPULimit:
		return []string{
			fmt.Sprintf("use less than %s of processor time: a better algorithm, fewer rounds, or less data", duration(l.CPU)),
			"check that every loop and every recursion ends",
		}
	case palisade.WallLimit:
		return []string{
			fmt.Sprintf("finish within %s: do not sleep, and do not wait for input or for a network that is not there", duration(l.Wall)),
			"check that every loop ends",
		}
	case palisade.MemoryLimit:
		return []string{fmt.Sprintf("use less than %s of memory: work in pieces, keep no copies, use generators or smaller types", size(l.Memory))}
	case palisade.DiskLimit:
		return []string{fmt.Sprintf("write less than %s and fewer than %d files", size(l.Disk), l.Inodes)}
	case palisade.ProcessLimit:
		return []string{fmt.Sprintf("use at most %d processes and threads: work in one", l.Processes)}
	case palisade.FilesLimit:
		return []string{fmt.Sprintf("keep at most %d files open at once: close each when it is done with", l.OpenFiles)}
	case palisade.OutputLimit:
		return []string{fmt.Sprintf("print less than %s: the result, not every step", size(l.Output))}
	case palisade.Aborted:
		if r.Fix != "" { // the host's word on which act it was
			return []string{short(t.redactor.String(r.Fix), maxStep), "do not retry, rephrase or work around: write a program that does without it, or ask a human"}
		}
		return []string{"do not retry, rephrase or work around: the program did what policy forbids while it ran", "write a program that does without it, or ask a human"}
	case palisade.Killed:
		if r.Fix != "" {
			return []string{"the program did not end by itself; it may have run in part", short(t.redactor.String(r.Fix), maxStep)}
		}
		return []string{"do not end the program with a signal, and do not call into native code that may crash; return a value or raise an exception"}
	case palisade.Interrupted:
		if !r.MayHaveRun {
			return []string{neverRan}
		}
		return []string{"the program did not fail; submit it again if its result is still wanted", "it may have run in part: check what it left before you do"}
	case palisade.Refused:
		if r.MayHaveRun {
			return []string{"ask whoever operates Palisade: the record of this run says what was missing"}
		}
		if r.Fix != "" {
			return []string{"the program did not fail: it never ran", short(t.redactor.String(r.Fix), maxStep)}
		}
		return []string{
			"the program did not fail: it never ran, and the same program may be submitted again",
			"if it is refused again, ask whoever operates Palisade: the record of this run says what was missing, palisade doctor how to get it",
		}
	case palisade.SandboxError:
		if r.MayHaveRun {
			return []string{"the program may have run, in part or whole: submit it again only if running it twice does no harm"}
		}
		return []string{neverRan}
	default:
		return []string{"ask whoever operates Palisade: the record of this run holds the details"}
	}
}

const neverRan = "the program did not fail: it never ran, and may be submitted again"

// notFound is the exit code of a shell for a command that is not there (POSIX,
// Shell Command Language, 2.8.2).
const notFound = 127

// repair says how to go on after an exception.
func repair(v palisade.Verdict, r palisade.Result, t teller) []string {
	if misfit(r) {
		return []string{
			"let the entry function return what the schema of its value wants, in plain JSON types: dict, list, str, int, float, bool or None",
			"mend the program and submit it again",
		}
	}
	if t.language == palisade.Shell && r.ExitCode == notFound {
		return []string{"a command is not in the box, and nothing can be installed: use another, or python3 with its standard library"}
	}
	if r.Exception == nil {
		return []string{"the program chose to end with an exit code other than 0: see what it printed"}
	}
	var steps []string
	kind := typeName(r.Exception.Type)
	switch kind[strings.LastIndexByte(kind, '.')+1:] {
	case "ModuleNotFoundError", "ImportError":
		steps = append(steps, "nothing can be installed: use a module that is there")
		if v.Available != "" {
			steps = append(steps, short(v.Available, maxStep))
		}
	case "MemoryError":
		steps = append(steps, fmt.Sprintf("use less than %s of memory", size(v.Limits.Memory)))
	case "PermissionError":
		steps = append(steps, "the sandbox does not permit it: only the working directory and /tmp can be written, and what the profile denies fails; do not look for another way")
	case "FileNotFoundError":
		steps = append(steps, "only files that came with the submission are in the working directory: use relative names")
	case "EOFError":
		steps = append(steps, "nobody is there to answer input(): take values as arguments or as files")
	case "RecursionError":
		steps = append(steps, "use a loop, or a recursion that ends sooner")
	case "ConnectionError", "ConnectionRefusedError", "URLError", "gaierror", "TimeoutError":
		steps = append(steps, network(v))
	}
	steps = append(steps, unconnected(r.Activity)...)
	if t.mayTell(t.message) == "" && t.message != "" {
		steps = append(steps, "the exception's message is withheld: check the values on that line, or handle the exception and print what the answer needs")
	}
	return append(steps, "mend the program and submit it again")
}
