package main

import (
	"fmt"
	"strings"
	"time"

	"palisade"
	"palisade/internal/redact"
)

// activity writes what was seen to happen in a box, in its order. Names are the
// program's words, behind a bar.
func (w *timelineWriter) activity(a palisade.Activity) {
	if len(a.Acts)+len(a.Counts) == 0 && a.Dropped == 0 {
		return
	}
	w.line("  activity since go: %s", redact.EscapeLine(countsOf(a)))
	for _, act := range a.Acts {
		w.line("    | %s", redact.EscapeLine(actLine(act)))
	}
	if a.Dropped > 0 {
		w.line("    (%d more acts are counted and not listed)", a.Dropped)
	}
}

// maxSeen bounds the acts that a run's last lines tell.
const maxSeen = 5

// seen tells, on one line, what a program did that a reader may not expect of
// one: it started something, reached for a peer, removed a file, or was refused.
func seen(out palisade.Outcome) string {
	var parts []string
	more := false
	for _, a := range out.Activity.Acts {
		switch {
		case !a.Refused && (a.Kind == "open" || a.Kind == "create" || a.Kind == "write" || a.Kind == "library"):
		case a.Refused && a.Kind == "open" && a.Detail == "ENOENT": // it looked whether a file was there
		case len(parts) == maxSeen:
			more = true
		default:
			part := strings.TrimSpace(a.Kind + " " + a.What)
			if a.Refused {
				part += " refused"
			}
			if a.Count > 1 {
				part += fmt.Sprintf(" ×%d", a.Count)
			}
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	line := "seen: " + strings.Join(parts, "; ")
	if more {
		line += "; … (palisade audit show " + out.Run + " has all)"
	}
	return line
}

// actLine is one act: when, what, how it ended, how often.
func actLine(a palisade.Act) string {
	line := fmt.Sprintf("%9s  %-8s%s", fmt.Sprintf("+%.3fs", (time.Duration(a.Millis)*time.Millisecond).Seconds()), a.Kind, a.What)
	if a.Refused {
		line += "  REFUSED"
	}
	if a.Detail != "" {
		line += "  (" + a.Detail + ")"
	}
	if a.Count > 1 {
		line += fmt.Sprintf("  ×%d", a.Count)
	}
	return line
}

// countsOf is how many acts there were, by kind.
func countsOf(a palisade.Activity) string {
	var parts []string
	for kind, n := range sorted(a.Counts) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, n))
	}
	return strings.Join(parts, ", ")
}
