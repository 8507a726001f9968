// Package shell reads bash programs: what each command could do, on what, and
// how it was reached.
//
// [Read] parses a program with a bash grammar, prints it in one canonical form,
// and makes sure that the printed text has the same tree: that text is what was
// judged and what must run. The tree is then interpreted abstractly: words are
// sets of texts that may have holes (see value.go), both branches are taken,
// loops over known words are unrolled, functions are called with their
// arguments, and text that is run (eval, sh -c, a here-document into a shell)
// is read in place. What commands lend to a program stands in tables, one row a
// command (commands_*.go); the few whose arguments are a language of their own
// have a file each.
//
// It promises bounded work: depth, steps, facts, the size of every text. What
// runs over is an error, never a shorter answer.
//
// It does not run anything, does not open files, does not know what lies on a
// disk, and does not judge. It does not know which branch is taken, nor what
// programs print, beyond a few filters on known text. Aliases are not expanded:
// defining one is a fact, and its text is read where it is defined.
package shell
