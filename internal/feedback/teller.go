package feedback

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"palisade"
	"palisade/internal/redact"
)

// teller puts failures into words.
type teller struct {
	own      *own
	language palisade.Language
	trust    bool
	redactor *redact.Redactor
	message  string // the exception's message, cleaned
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// failures returns one line for each thing that went wrong.
func (t teller) failures(v palisade.Verdict, r palisade.Result) []string {
	var lines []string
	if text := status(v.Limits, r); text != "" {
		lines = append(lines, string(r.Status)+": "+text)
	}
	if misfit(r) {
		lines = append(lines, short(t.redactor.Clean([]byte(r.Reason)), maxError))
	}
	if r.Exception != nil && failed(r.Status) {
		lines = append(lines, t.exception(*r.Exception))
	}
	for _, limit := range slices.Compact(slices.Sorted(slices.Values(r.LimitsHit))) {
		if text := refusing(v.Limits, limit); text != "" && !told(r.Status, limit) {
			lines = append(lines, text)
		}
	}
	return lines[:min(len(lines), maxErrors)]
}

// misfit reports whether the host itself says why a program that ended well
// failed: the entry function's value does not fit. No exception is ever named
// so, since a program may raise one of any name.
func misfit(r palisade.Result) bool {
	return r.Status == palisade.RuntimeError && r.Exception == nil && r.Reason != ""
}

// failed reports whether an exception can have to do with a status.
func failed(s palisade.Status) bool {
	switch s {
	case palisade.RuntimeError, palisade.DiskLimit, palisade.ProcessLimit, palisade.FilesLimit, palisade.MemoryLimit, palisade.Aborted:
		return true
	}
	return false
}

// exception returns what may be told of an uncaught exception, on one line.
func (t teller) exception(e palisade.Exception) string {
	line := typeName(e.Type) + t.own.place(e.Frames)
	switch message := t.mayTell(t.message); {
	case message == "":
	case t.own.sentence(message):
		line += ": " + message
	default: // the program's own words, marked as such
		const room = maxError - 200
		line += `: "` + strings.ReplaceAll(short(t.redactor.String(message), room), `"`, "'") + `"`
	}
	return short(t.redactor.String(line), maxError)
}

// mayTell returns a message if it may be told, else "".
func (t teller) mayTell(message string) string {
	message = strings.TrimSpace(message)
	if t.trust || t.own.sentence(message) || t.own.wrote(message) {
		return message
	}
	return ""
}

// status says in words how a run ended that did not end well; a program's own
// exception says it better, where there is one.
func status(l palisade.Limits, r palisade.Result) string {
	switch r.Status {
	case palisade.OK:
		return ""
	case palisade.RuntimeError:
		if r.Exception != nil || misfit(r) {
			return ""
		}
		return fmt.Sprintf("the program ended with exit code %d", r.ExitCode)
	case palisade.CPULimit:
		return fmt.Sprintf("the program used more than its %s of processor time and was ended", duration(l.CPU))
	case palisade.WallLimit:
		return fmt.Sprintf("the program ran longer than its %s and was ended", duration(l.Wall))
	case palisade.MemoryLimit:
		return fmt.Sprintf("the program used more than its %s of memory and was ended", size(l.Memory))
	case palisade.DiskLimit:
		return fmt.Sprintf("the program wrote more than its %s or %d files, was refused, and failed", size(l.Disk), l.Inodes)
	case palisade.ProcessLimit:
		return fmt.Sprintf("the program started more than its %d processes and threads, was refused, and failed", l.Processes)
	case palisade.FilesLimit:
		return fmt.Sprintf("the program opened more than its %d files at once, was refused, and failed", l.OpenFiles)
	case palisade.OutputLimit:
		return fmt.Sprintf("the program printed more than its %s and was ended", size(l.Output))
	case palisade.Aborted:
		return "policy ended the program because of something that it did"
	case palisade.Killed:
		if r.Fix != "" {
			return "the program was ended from outside"
		}
		if r.Signal == "" {
			return "the program was ended by a signal"
		}
		return "the program was ended by " + short(r.Signal, 20)
	case palisade.Interrupted:
		if !r.MayHaveRun {
			return "whoever asked went away, or the gate was stopped, before the program was started"
		}
		return "whoever asked went away, or the gate was stopped, and the program was ended"
	case palisade.Refused:
		if r.Fix != "" {
			return "the program was not started"
		}
		return "the program was not started: something that policy requires is missing"
	case palisade.SandboxError:
		if r.MayHaveRun {
			return "the sandbox failed; the program may have run, in part or whole"
		}
		return "the sandbox failed; the program never ran"
	default:
		return "it is not known how the run ended"
	}
}

// refusing says in words which limit made a call fail.
func refusing(l palisade.Limits, limit string) string {
	switch limit {
	case "processes":
		return fmt.Sprintf("a call was refused: at most %d processes and threads", l.Processes)
	case "files":
		return fmt.Sprintf("a call was refused: at most %d files open at once", l.OpenFiles)
	case "disk":
		return fmt.Sprintf("a call was refused: at most %s on disk", size(l.Disk))
	case "inodes":
		return fmt.Sprintf("a call was refused: at most %d files", l.Inodes)
	}
	return ""
}

// told reports whether the status already tells of a limit.
func told(s palisade.Status, limit string) bool {
	switch limit {
	case "processes":
		return s == palisade.ProcessLimit
	case "files":
		return s == palisade.FilesLimit
	case "disk", "inodes":
		return s == palisade.DiskLimit
	}
	return false
}

// duration writes 2s as "2 s" and 1500ms as "1.5 s".
func duration(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// size writes bytes in the largest unit that gives a whole number.
func size(n int64) string {
	units := [...]string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for n >= 1024 && n%1024 == 0 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return itoa(n) + " " + units[i]
}
