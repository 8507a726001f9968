// Package python reads Python programs without an interpreter.
//
// Normalize turns the bytes of a file into the only text that is analyzed and
// run. Parse gives for a normalized program the tree that CPython's ast module
// would give, node for node, in Go types of the same names and with the same
// positions. Digest names a tree, and digest.py (DigestSource) does so inside
// an interpreter, so that the tree which was judged can be held to be the tree
// that runs. WriteJSON writes a tree for anyone who wants to compare.
//
// # Promises
//
// For each version from 3.8 to 3.14, Parse accepts what that version's
// compile(source, name, "exec", dont_inherit=True) accepts and refuses what it
// refuses, the errors behind its grammar included: those of scopes, of stars, of
// patterns, of nested blocks, of imports from __future__. Where we know of a
// difference it is in the list below. Whatever the source, Parse returns in
// linear time and bounded memory, and no returned tree is deeper than
// Options.MaxDepth, so that others may recurse over it.
//
// # What it does not do
//
// It gives no warnings, no type comments, and no comments at all; it does not
// read interactive input or bare expressions; it does not judge what a program
// means. It does not know which patch release will run, only the version.
//
// Known differences, in all of which the digest of the interpreter decides:
//
//   - Trees deeper than 3,000 are refused; 3.13 and 3.14 take some that are
//     deeper. 3.8 refuses brackets nested more than about 90 deep, and other
//     versions run out of stack or memory on programs that are accepted here.
//   - The tables of letters and of names for \N{…} are those of one version of
//     Unicode, newer than that of most interpreters: a name with a newer letter
//     is accepted here. A named sequence is refused, as by CPython.
//   - Faults of single patch releases in f-strings, such as those of 3.12.1 with
//     nested "=" or with "!=" before "=", and of 3.12.1 and 3.13.0 with "#" in a
//     string before "=", are not copied.
//   - "from __future__ import barry_as_FLUFL" does not bring back "<>".
//   - Inside f-strings, positions are those of CPython 3.11 for 3.8 to 3.11, and
//     from 3.12 on may differ from those of a patch release.
//
// # The canonical form
//
// The digest is the SHA-256 of the line "palisade python tree 1" with its
// newline, and the canonical form of the tree behind it. In the canonical form
// a number n is written in decimal; a name s as the number of its bytes, ":"
// and its bytes; and a value as one letter for its type, a number, ":" and then:
//
//	n  a node; the number is that of its fields. Its class name follows, as a
//	   name, and for each field its name and its value. The fields stand in the
//	   order of the class's _fields. A field that is None or an empty list is
//	   left out, and so are ctx, kind and type_comment.
//	l  a list; the number is that of its items, whose values follow.
//	z  None as an item of a list; the number is 0.
//	s  a str; the number is that of its bytes, which follow, in UTF-8 where a
//	   lone surrogate has three bytes ("surrogatepass").
//	b  a bytes, likewise.
//	i  an int, as its digits in lower-case hexadecimal, "-" in front of them if
//	   it is negative; the number is that of these bytes.
//	t  a bool: 1, and the byte "0" or "1".
//	f  a float: 8, and its IEEE-754 bits, big-endian.
//	c  a complex: 16, and the bits of its real and of its imaginary part.
//	e  the ellipsis: 0.
//
// Operators are nodes without fields. Positions are not part of it. Constants
// that are the empty str are dropped from the values of a JoinedStr. Two classes
// that only 3.8 has are written as later versions do: Index as the value in it,
// ExtSlice as a Tuple whose elts are its dims.
//
// So `x` is
//
//	n1:6:Module4:bodyl1:n1:4:Expr5:valuen1:4:Name2:ids1:x
package python
