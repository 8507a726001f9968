// Package py says what a Python program could do. It interprets the program's
// tree abstractly: every expression has a set of things that it may be (a
// module, a part of a module, a constant, a function of the program), and what
// a name, an attribute, a call or a string means follows from those sets, not
// from its spelling.
//
// The package promises:
//   - every import, also through another module (random._os), is a fact; every
//     use of an attribute of an imported module is one; every use of a callable
//     of effects_*.go gives its capability with the argument it is used on;
//   - whatever is called, imported or looked up by a name that cannot be
//     resolved, and could reach such a callable, is the capability unresolved;
//   - functions and loops are read until nothing that they read has changed
//     (rounds.go); what has not settled by then is not read to its end, and said so;
//   - it ends: a step budget bounds it whatever the program is, a second,
//     smaller one bounds precision (loops unrolled, calls followed); past that
//     it becomes coarser, never blind. A value has at most maxObjects objects and
//     what works on more is charged by its size, so that a step has a bound too:
//     a program of 256 KiB takes at most two seconds of processor time, which the
//     tests of package rules hold hostile programs to.
//
// Most programs that only compute are not interpreted at all; see plain.go.
//
// It relies on this: nothing dangerous can be had without being named
// somewhere. So a name is a use, called or not; only what merely takes a path
// or a peer waits for its argument while it is kept in a variable.
//
// What is put where it is not followed (a queue, an array, a protocol of the
// interpreter, a call that is too deep) comes back as something unknown. A
// module or a path that was used as a value is adrift from then on: what is
// done to something unknown may be done to it.
//
// It does not decide, and it is not a proof: the sandbox is built as if it had
// failed.
package py
