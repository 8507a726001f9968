package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"palisade"
)

// tolerance is the difference at which two numbers count as equal, relative to
// the expected one, or absolute where that is below 1: data sets round.
const tolerance = 1e-6

// sameValue compares a program's value with the one that was expected: numbers
// by tolerance, everything else by its JSON value.
func sameValue(got, want json.RawMessage) bool {
	if got == nil || want == nil {
		return false
	}
	var a, b any
	if decode(got, &a) != nil || decode(want, &b) != nil {
		return false
	}
	return equal(a, b)
}

func decode(raw json.RawMessage, v *any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(v)
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || nearly(a, b))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	default:
		return a == b
	}
}

func nearly(got, want json.Number) bool {
	x, errX := got.Float64()
	y, errY := want.Float64()
	return errX == nil && errY == nil && math.Abs(x-y) <= tolerance*math.Max(1, math.Abs(y))
}

// summary says on one line how a batch went.
func (b *batchRun) summary(total int) {
	denied := b.tally[palisade.PolicyViolation]
	asked := b.tally[palisade.ApprovalRequired]
	var rest []string
	for _, status := range slices.Sorted(maps.Keys(b.tally)) {
		switch status {
		case palisade.OK, palisade.PolicyViolation, palisade.ApprovalRequired:
		default:
			rest = append(rest, fmt.Sprintf("%d %s", b.tally[status], status))
		}
	}
	line := fmt.Sprintf("%s: %d ok, %d denied, %d asked", count(total, "program"), b.tally[palisade.OK], denied, asked)
	if len(rest) > 0 {
		line += ", " + strings.Join(rest, ", ")
	}
	if b.invalid > 0 {
		line += fmt.Sprintf(", %d invalid", b.invalid)
	}
	if b.skipped > 0 {
		line += fmt.Sprintf(", %d skipped (done before, %d of them not well)", b.skipped, b.failedBefore)
	}
	if missed := total - b.ran - b.skipped; missed > 0 {
		line += fmt.Sprintf(", %d not run", missed)
	}
	if b.flags.expectField != "" {
		line += fmt.Sprintf("; %s equal, %d not", count(b.matched, "value"), b.mismatched)
	}
	fmt.Fprintf(b.env.stderr, "palisade: %s\n", line)
}
