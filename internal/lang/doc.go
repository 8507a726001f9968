// Package lang holds one file per language: how its programs are prepared, and
// how they are started inside a box.
//
// It promises that what it returns as prepared is what is judged and what runs:
// source is normalized once, here, and never again. Inputs that do not fit give
// a [palisade.InputError] that names the place; no input is ever spliced into
// code.
//
// It does not judge programs and does not run any.
package lang
