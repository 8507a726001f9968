// Package palisade holds the words and the one flow of the gate that stands between a language model
// and a kernel.
//
// A [Submission] carries a program that a model wrote. [Gate.Run] takes it from the door to the answer:
// it is sealed, read, judged, shown to a human where policy says so, run in a sandbox that nobody used
// before and nobody uses after, and answered; every step is on a tamper-evident record before the next.
//
// The package promises:
//   - there is one path: code starts only with a [Permit], and only [Gate.Run] makes one, for one run;
//   - doubt means no: a step that cannot be taken or recorded ends the run;
//   - statuses come from the host, never from what the guest says.
//
// It does not read, judge or run code: those are its [Parts], and package palisade/local wires them.
package palisade
