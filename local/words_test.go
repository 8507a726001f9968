package local

import (
	"slices"
	"testing"

	"palisade/internal/events"
	"palisade/internal/policy"
	"palisade/internal/sandbox"
)

// TestWordsOfPolicy: what a profile may name is what the parts know.
func TestWordsOfPolicy(t *testing.T) {
	if got, want := policy.Abortable(), events.Abortable(); !slices.Equal(got, want) {
		t.Errorf("policy ends runs on %v, events on %v", got, want)
	}
	groups := policy.SyscallGroups()
	slices.Sort(groups)
	if want := sandbox.SyscallGroups(); !slices.Equal(groups, want) {
		t.Errorf("policy denies %v, boxes %v", groups, want)
	}
}
