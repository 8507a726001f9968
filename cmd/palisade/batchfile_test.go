package main

import (
	"strings"
	"testing"
)

// TestDoneIDs: what is no outcome of a batch is never cut off.
func TestDoneIDs(t *testing.T) {
	const one = `{"id":"a","run":"r"}` + "\n"
	for text, end := range map[string]int{
		"": 0, one: len(one), one + `{"id":"b`: len(one), one + `{"i`: len(one),
		"x": -1, "x\n": -1, one + "x": -1, one + "{}\n": -1, "\n": -1, `{"id":"a"}` + "\n": -1,
	} {
		done, got, err := doneIDs(strings.NewReader(text))
		if (err == nil) != (end >= 0) || err == nil && (int(got) != end || has(done, "a") != (end > 0)) {
			t.Errorf("%q: %v %d %v", text, done, got, err)
		}
	}
}

func has(done map[string]bool, id string) bool {
	_, there := done[id]
	return there
}
