package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// span is the value of a flag that asks for how long: 90m, 12h, 3d, 2w. Keys live
// for days and weeks, which Go's own form of a duration cannot say.
type span time.Duration

const (
	day  = 24 * time.Hour
	week = 7 * day
	// maxSpan is far from where a time overflows.
	maxSpan = 36500 * day
)

// Set implements pflag's Value.
func (s *span) Set(text string) error {
	v, err := parseSpan(text)
	if err == nil {
		*s = span(v)
	}
	return err
}

func (s *span) String() string {
	if *s == 0 {
		return "" // no default to show
	}
	return time.Duration(*s).String()
}

// Type implements pflag's Value.
func (s *span) Type() string { return "time" }

func parseSpan(text string) (time.Duration, error) {
	v, ok := wholeDays(text)
	if !ok {
		var err error
		if v, err = time.ParseDuration(text); err != nil {
			return 0, errors.New("not a time: write whole days or weeks, 3d or 2w, or hours and minutes, 12h or 1h30m")
		}
	}
	if v < 0 || v > maxSpan {
		return 0, fmt.Errorf("out of range: write a time from now on, at most %dd", maxSpan/day)
	}
	return v, nil
}

// wholeDays reads a number of days or weeks; too many are more than maxSpan.
func wholeDays(text string) (time.Duration, bool) {
	if text == "" {
		return 0, false
	}
	unit, known := map[byte]time.Duration{'d': day, 'w': week}[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 31)
	if !known || err != nil {
		return 0, false
	}
	return time.Duration(min(n, uint64(maxSpan/day)+1)) * unit, true
}
