// Package lang knows how programs of each language are prepared, and how they
// are started inside a box.
//
// What supervises a program inside is one harness, in Python (folder harness).
// A Python program runs in that very process, from its judged tree. A program
// in another language runs as the text that was judged, in an interpreter that
// is the harness's child: the text stands in a sealed file of memory, the digest
// is taken from there, and when the child ends the harness ends what it left
// running, collects its files, and ends as it ended.
//
// It promises that what it returns as prepared is what is judged and what runs:
// source is normalized once, here, and never again. Inputs that do not fit give
// a [palisade.InputError] that names the place; no input is ever spliced into
// code.
//
// It does not judge programs and does not run any.
package lang
