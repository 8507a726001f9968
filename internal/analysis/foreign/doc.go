// Package foreign reads the languages whose parsers are not ours.
//
// A parser of foreign make can be overflowed, and a stack overflow ends a Go
// process. [Pool] therefore reads in children: this program, re-executed under
// the name palisade-read, without files, network or other system calls than a
// computation needs, bounded in memory and time, and replaced when it dies.
//
// It promises that whatever a text does to its reader, the caller gets an
// error within [Config.Wall] and goes on.
//
// It does not decide what a text means: the packages beside it do.
package foreign
