package perlre

import "unicode"

// kind is the sort of a part of an expression.
type kind uint8

const (
	empty kind = iota
	char
	set
	any
	sequence
	choice
	repeat
	group  // capturing; n is its number
	look   // ahead or behind, positive or negative
	atomic // never gone back into
	backref
	assertion
)

// part is a part of an expression.
type part struct {
	kind     kind
	kids     []*part
	r        rune // of a char, or the letter of an assertion
	class    *class
	n        int // of a group or a backref
	min, max int // of a repeat; max -1: no bound
	lazy     bool
	fold     bool // letters of both cases
	newline  bool // `.` takes a newline
	negative bool
	behind   bool
}

// class is a set of characters.
type class struct {
	ranges []rune // pairs
	not    bool
	fold   bool
}

func (c *class) has(r rune) bool {
	in := c.in(r)
	if !in && c.fold {
		for f := unicode.SimpleFold(r); f != r && !in; f = unicode.SimpleFold(f) {
			in = c.in(f)
		}
	}
	return in != c.not
}

func (c *class) in(r rune) bool {
	for i := 0; i < len(c.ranges); i += 2 {
		if c.ranges[i] <= r && r <= c.ranges[i+1] {
			return true
		}
	}
	return false
}
