package main

import (
	"strings"
	"testing"
	"time"
)

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"3d": 72 * time.Hour, "2w": 14 * 24 * time.Hour, "1d": day, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute, "0": 0, "36500d": maxSpan,
	} {
		if got, err := parseSpan(text); err != nil || got != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "3d or 2w", "3": "3d or 2w", "d": "3d or 2w", "-3d": "3d or 2w", "+3d": "3d or 2w", "1.5d": "3d or 2w", "3 d": "3d or 2w", "3D": "3d or 2w", "3d12h": "3d or 2w",
		"2y": "3d or 2w", "soon": "3d or 2w", "-3h": "from now on", "36501d": "at most 36500d", "2147483647w": "at most 36500d", "2000000h": "at most 36500d", "99999999999d": "3d or 2w",
	} {
		if got, err := parseSpan(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v; want %q", text, got, err, want)
		}
	}
}
