package rules

import "strings"

// manyBytes is longer than what is read.
func manyBytes() string { return "#" + strings.Repeat("x", DefaultMaxBytes) }

// manyFacts has more facts than are kept.
func manyFacts() string { return strings.Repeat("x.__globals__;y.__code__;z.gi_frame\n", 5000) }
