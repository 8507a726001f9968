package main

import (
	"strings"
	"testing"
)

func TestLoneSurrogate(t *testing.T) {
	for raw, want := range map[string]bool{
		`"plain"`: false, `"\u0041"`: false, `"\ud83d\ude00"`: false, `"\\ud800"`: false, `"\\\\ud800"`: false,
		`"\ud800"`: true, `"\udc00"`: true, `"\ud800\ud800"`: true, `"\ud800\n"`: true, `"\ud800x"`: true, `"\\\ud800"`: true, `"\ud83d\ude00\ude00"`: true,
	} {
		if got := loneSurrogate([]byte(raw)); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

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
