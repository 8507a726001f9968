// Package rules turns what the reading found into findings. A rule is a value
// in one list: it says which facts it is about, how grave they are, what a
// program could do and what to do instead, and it carries programs of its own:
// bad ones that it must find and good ones that it must leave alone. A test
// fails where either is missing.
//
// [Inspector] is the gate's reader: it parses, analyses and never fails. What
// cannot be read is itself a finding (unparsable, oversized, analysis-failed).
//
// To add a rule, add one file: `var _ = add(Rule{…})`.
//
// The package does not decide: most programs have findings, and policy judges
// each.
package rules
