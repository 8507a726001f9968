package perlre

import (
	"errors"
	"fmt"
)

// op is what an instruction does.
type op uint8

const (
	opChar op = iota
	opSet
	opAny
	opSplit // try x, then y
	opJump  // to x
	opSave  // the position into slot x
	opFresh // to y, out of the loop, if the position has not moved since slot x
	opLook  // run the program at x, which ends at y
	opOnce  // the same, and go on behind what it took
	opBackref
	opAssert
	opMatch
	opUntil // opMatch, but only where the look back started
)

type inst struct {
	op       op
	x, y     int
	part     *part
	min, max int // the width of what an opLook looks back at
}

// Regexp is a compiled expression. It is not changed by its use.
type Regexp struct {
	prog  []inst
	names []string
	slots int
}

// maxInsts bounds a program; counted repetitions are written out.
const maxInsts = 20_000

// Compile reads an expression.
func Compile(expr string) (*Regexp, error) {
	root, names, err := parse(expr)
	if err != nil {
		return nil, fmt.Errorf("regular expression %.60q: %w", expr, err)
	}
	c := &compiler{re: &Regexp{names: names, slots: 2 * len(names)}}
	c.part(&part{kind: group, kids: []*part{root}})
	c.emit(inst{op: opMatch})
	if c.err != nil {
		return nil, fmt.Errorf("regular expression %.60q: %w", expr, c.err)
	}
	return c.re, nil
}

// SubexpNames returns the names of the groups, the whole as the first.
func (re *Regexp) SubexpNames() []string { return re.names }

type compiler struct {
	re  *Regexp
	err error
}

func (c *compiler) emit(i inst) int {
	if len(c.re.prog) >= maxInsts {
		c.err = errors.New("it is too large")
		return 0
	}
	c.re.prog = append(c.re.prog, i)
	return len(c.re.prog) - 1
}

func (c *compiler) here() int { return len(c.re.prog) }

func (c *compiler) part(p *part) {
	if c.err != nil {
		return
	}
	switch p.kind {
	case char:
		c.emit(inst{op: opChar, part: p})
	case set:
		c.emit(inst{op: opSet, part: p})
	case any:
		c.emit(inst{op: opAny, part: p})
	case sequence:
		for _, k := range p.kids {
			c.part(k)
		}
	case choice:
		c.choice(p.kids)
	case repeat:
		c.repeat(p)
	case group:
		c.emit(inst{op: opSave, x: 2 * p.n})
		c.part(p.kids[0])
		c.emit(inst{op: opSave, x: 2*p.n + 1})
	case look, atomic:
		c.apart(p)
	case backref:
		c.emit(inst{op: opBackref, part: p})
	case assertion:
		c.emit(inst{op: opAssert, part: p})
	}
}

func (c *compiler) choice(list []*part) {
	var ends []int
	for i, k := range list {
		if i == len(list)-1 {
			c.part(k)
			break
		}
		split := c.emit(inst{op: opSplit})
		c.re.prog[split].x = c.here()
		c.part(k)
		ends = append(ends, c.emit(inst{op: opJump}))
		c.re.prog[split].y = c.here()
	}
	for _, at := range ends {
		c.re.prog[at].x = c.here()
	}
}

// repeat writes the least number out, and then a loop or the rest one by one.
func (c *compiler) repeat(p *part) {
	body := p.kids[0]
	for range p.min {
		before := c.here()
		if c.part(body); c.here() == before {
			break // empty, or too large: more of it is no more
		}
	}
	if p.max < 0 {
		c.loop(p)
		return
	}
	var splits []int
	for range p.max - p.min {
		splits = append(splits, c.emit(inst{op: opSplit}))
		c.part(body)
	}
	for _, at := range splits {
		c.branch(at, at+1, c.here(), p.lazy)
	}
}

func (c *compiler) branch(at, in, out int, lazy bool) {
	if lazy {
		in, out = out, in
	}
	c.re.prog[at].x, c.re.prog[at].y = in, out
}

// loop repeats without bound; a round that takes nothing is the last.
func (c *compiler) loop(p *part) {
	slot := c.re.slots
	c.re.slots++
	split := c.emit(inst{op: opSplit})
	c.emit(inst{op: opSave, x: slot})
	c.part(p.kids[0])
	fresh := c.emit(inst{op: opFresh, x: slot})
	c.emit(inst{op: opJump, x: split})
	c.re.prog[fresh].y = c.here()
	c.branch(split, split+1, c.here(), p.lazy)
}

// apart compiles what is run as a program of its own.
func (c *compiler) apart(p *part) {
	i := inst{op: opOnce, part: p}
	if p.kind == look {
		i.op = opLook
		if p.behind {
			i.min, i.max = width(p.kids[0])
			if i.max < 0 || i.max > 255 {
				c.err = errors.New("what it looks back at has no bounded width")
				return
			}
		}
	}
	at := c.emit(i)
	c.re.prog[at].x = c.here()
	c.part(p.kids[0])
	if p.behind {
		c.emit(inst{op: opUntil})
	} else {
		c.emit(inst{op: opMatch})
	}
	c.re.prog[at].y = c.here()
}

// width is how many characters a part takes, at least and at most; -1: no bound.
func width(p *part) (low, high int) {
	switch p.kind {
	case char, set, any:
		return 1, 1
	case backref:
		return 0, -1
	case sequence, group, atomic:
		for _, k := range p.kids {
			a, b := width(k)
			low += a
			if high = high + b; b < 0 {
				return low, -1
			}
		}
	case choice:
		low, high = width(p.kids[0])
		for _, k := range p.kids[1:] {
			a, b := width(k)
			low = min(low, a)
			if high = max(high, b); b < 0 || high < 0 {
				return low, -1
			}
		}
	case repeat:
		a, b := width(p.kids[0])
		if p.max < 0 || b < 0 {
			return a * p.min, -1
		}
		return a * p.min, b * p.max
	}
	return low, high
}
