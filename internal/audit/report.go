package audit

import (
	"fmt"
	"strings"
)

// Verdict on a log as a whole. The zero value is Tampered: doubt means no.
type Verdict int

// Verdicts.
const (
	Tampered   Verdict = iota // something is not what was written
	Unanchored                // agrees with itself; no mirrored head to hold it to
	Intact                    // agrees with itself and with every mirrored head
)

// String returns the verdict in words.
func (v Verdict) String() string {
	switch v {
	case Intact:
		return "intact"
	case Unanchored:
		return "consistent, not anchored"
	default:
		return "tampered"
	}
}

// MarshalText writes the verdict's words.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Exit is the exit code that stands for the verdict: 0 intact, 1 tampered, 3
// consistent, not anchored.
func (v Verdict) Exit() int {
	switch v {
	case Intact:
		return 0
	case Unanchored:
		return 3
	default:
		return 1
	}
}

// Problem is one thing that is not as it was written.
type Problem struct {
	Where string `json:"where"`
	What  string `json:"what"`
}

// String returns "where: what".
func (p Problem) String() string { return p.Where + ": " + p.What }

// maxProblems bounds a report; the first are what counts.
const maxProblems = 100

// Report is what Verify found. Counts are of what could be read.
type Report struct {
	Verdict  Verdict   `json:"verdict"`
	Problems []Problem `json:"problems,omitempty"`
	Notes    []string  `json:"notes,omitempty"`

	Origin  string `json:"origin,omitempty"`
	Entries int64  `json:"entries"`
	Root    string `json:"root,omitempty"` // base64
	Runs    int    `json:"runs"`
	// Incomplete counts runs without an end (outcome, rejected, failed): under
	// way, or cut off by a crash of the gate.
	Incomplete int `json:"incomplete"`

	Payloads  int64 `json:"payloads"`  // there, and what was committed to
	Forgotten int64 `json:"forgotten"` // deleted on purpose, as recorded
	Withheld  int64 `json:"withheld"`  // not there, and not asked for

	Heads      int   `json:"heads"`       // mirrored heads of this log that agree
	AnchoredTo int64 `json:"anchored_to"` // entries under the newest of them
	Follows    int   `json:"follows"`     // earlier logs that this one names

	Journal   int64 `json:"journal"`    // entries not in tiles yet
	TornBytes int64 `json:"torn_bytes"` // at the end, as a crash leaves them
	Recovered int   `json:"recovered"`  // torn ends that were repaired, as recorded
}

// String returns a line with the verdict and the counts, then a line for each
// problem and note.
func (r Report) String() string {
	var b strings.Builder
	runs := "runs"
	if r.Runs == 1 {
		runs = "run"
	}
	fmt.Fprintf(&b, "%s: %d %s, %d entries", r.Verdict, r.Runs, runs, r.Entries)
	if r.Heads > 0 {
		fmt.Fprintf(&b, ", %d of them under %d mirrored heads", r.AnchoredTo, r.Heads)
	}
	b.WriteString("\n")
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "  problem: %s\n", p)
	}
	count := func(n int64, format string) {
		if n > 0 {
			fmt.Fprintf(&b, "  note: "+format+"\n", n)
		}
	}
	if r.Heads > 0 {
		count(r.Entries-r.AnchoredTo, "%d entries after the newest mirrored head are not anchored")
	}
	count(int64(r.Incomplete), "%d runs have no end on the record")
	count(r.Forgotten, "%d payloads were forgotten, as recorded")
	count(r.Withheld, "%d payloads are not here")
	count(r.TornBytes, "%d bytes at the end are torn, as a crash leaves them; the next start will cut them off and record it")
	count(int64(r.Recovered), "%d torn ends were repaired, as recorded")
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "  note: %s\n", n)
	}
	return b.String()
}

func (r *Report) problem(where, format string, args ...any) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{where, fmt.Sprintf(format, args...)})
	}
}

func (r *Report) note(format string, args ...any) {
	if len(r.Notes) < maxProblems {
		r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
	}
}
