// Package bench holds what a bench of sandboxes finds, and how it is told.
//
// It keeps figures beside the baseline of the same run: a [Report] has latencies
// by program, throughput by clients, and what parked boxes hold, each as a ratio
// to the bare interpreter where there is one. It writes a report as Markdown and
// as a chart, and measures processes by /proc: what a tree of them has used and
// holds.
//
// It promises that a ratio is of medians that were measured in turns with their
// baseline, if its caller measures so, and that a figure which was not measured
// is told as such and never as zero.
//
// It starts nothing.
package bench
