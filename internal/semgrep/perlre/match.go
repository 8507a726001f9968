package perlre

import (
	"unicode"
	"unicode/utf8"
)

// maxBack bounds how many places a search may go back to.
const maxBack = 1 << 20

// back is a place to go back to, or a slot to restore.
type back struct {
	pc, pos int // pc -1: restore
	slot    int
	old     int
}

// machine runs a program on one text.
type machine struct {
	*Regexp
	text  string
	slots []int
	stack []back
	spend func(int)
	until int  // where the present look back started
	full  bool // the stack reached its bound: there is no answer
}

// Find returns the offsets of the first match from an offset on, and of its
// groups: pairs, -1 where a group took no part. Nil: there is none. It calls
// spend with the steps that it takes, which may panic to end it. Where it would
// need more memory than it may have, ok is false.
func (re *Regexp) Find(text string, from int, spend func(steps int)) (loc []int, ok bool) {
	m := &machine{Regexp: re, text: text, slots: make([]int, re.slots), spend: spend}
	for at := from; at <= len(text); {
		for i := range m.slots {
			m.slots[i] = -1
		}
		spend(1)
		if _, found := m.run(0, at); found {
			return m.slots[:2*len(re.names)], true
		}
		if m.full {
			return nil, false
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += max(1, n)
	}
	return nil, true
}

// run tries a program at a position, and returns where it ended.
func (m *machine) run(pc, pos int) (end int, found bool) {
	bottom := len(m.stack)
	defer func() { m.stack = m.stack[:bottom] }()
	for steps := 0; ; steps++ {
		if steps&0xff == 0xff {
			m.spend(64)
		}
		i := &m.prog[pc]
		next, ok := pos, true
		switch i.op {
		case opMatch:
			m.spend(1)
			return pos, true
		case opUntil:
			if pos == m.until {
				return pos, true
			}
			ok = false
		case opChar, opSet, opAny:
			next, ok = m.take(i, pos)
		case opSplit:
			if len(m.stack) >= maxBack {
				m.full = true
				return 0, false
			}
			m.stack = append(m.stack, back{pc: i.y, pos: pos})
			pc = i.x
			continue
		case opJump:
			pc = i.x
			continue
		case opSave:
			m.save(i.x, pos)
		case opFresh:
			if m.slots[i.x] == pos {
				pc = i.y
				continue
			}
		case opAssert:
			ok = m.assert(i.part.r, pos)
		case opBackref:
			next, ok = m.backref(i.part, pos)
		case opOnce, opLook:
			if next, ok = m.apart(i, pos); m.full {
				return 0, false
			}
			if ok {
				pc = i.y - 1
			}
		}
		if ok {
			pc, pos = pc+1, next
			continue
		}
		if pc, pos, ok = m.pop(bottom); !ok {
			return 0, false
		}
	}
}

func (m *machine) save(slot, pos int) {
	m.stack = append(m.stack, back{pc: -1, slot: slot, old: m.slots[slot]})
	m.slots[slot] = pos
}

// pop goes back to the last place with something left to try.
func (m *machine) pop(bottom int) (pc, pos int, ok bool) {
	for len(m.stack) > bottom {
		b := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if b.pc >= 0 {
			return b.pc, b.pos, true
		}
		m.slots[b.slot] = b.old
	}
	return 0, 0, false
}

// take matches one character.
func (m *machine) take(i *inst, pos int) (int, bool) {
	if pos >= len(m.text) {
		return pos, false
	}
	r, n := utf8.DecodeRuneInString(m.text[pos:])
	ok := false
	switch i.op {
	case opChar:
		ok = r == i.part.r || i.part.fold && folds(r, i.part.r)
	case opSet:
		ok = i.part.class.has(r)
	case opAny:
		ok = r != '\n' || i.part.newline
	}
	return pos + n, ok
}

func folds(a, b rune) bool {
	for f := unicode.SimpleFold(a); f != a; f = unicode.SimpleFold(f) {
		if f == b {
			return true
		}
	}
	return false
}

// apart runs a program of its own; what it noted to go back to is dropped, but
// for the groups of what came true.
func (m *machine) apart(i *inst, pos int) (int, bool) {
	before := append([]int(nil), m.slots...)
	var end int
	var found bool
	if i.op == opLook && i.part.behind {
		found = m.behind(i, pos)
	} else {
		end, found = m.run(i.x, pos)
	}
	if !found || i.part.negative {
		copy(m.slots, before)
	} else {
		for slot, old := range before {
			if now := m.slots[slot]; now != old {
				m.slots[slot] = old
				m.save(slot, now)
			}
		}
	}
	if i.op == opOnce {
		return end, found
	}
	return pos, found != i.part.negative
}

// behind tries each width that what is looked back at may have.
func (m *machine) behind(i *inst, pos int) bool {
	before := m.until
	defer func() { m.until = before }()
	start := pos
	for w := 0; w <= i.max; w++ {
		m.spend(1)
		if w >= i.min {
			m.until = pos
			if _, found := m.run(i.x, start); found {
				return true
			}
		}
		if start == 0 {
			return false
		}
		_, n := utf8.DecodeLastRuneInString(m.text[:start])
		start -= n
	}
	return false
}

func (m *machine) backref(p *part, pos int) (int, bool) {
	from, to := m.slots[2*p.n], m.slots[2*p.n+1]
	if from < 0 || to < from {
		return pos, false
	}
	m.spend(1 + (to-from)/16)
	for _, r := range m.text[from:to] {
		if pos >= len(m.text) {
			return pos, false
		}
		have, n := utf8.DecodeRuneInString(m.text[pos:])
		if have != r && !(p.fold && folds(have, r)) {
			return pos, false
		}
		pos += n
	}
	return pos, true
}

func (m *machine) assert(letter rune, pos int) bool {
	end := len(m.text)
	switch letter {
	case 'A':
		return pos == 0
	case 'z':
		return pos == end
	case 'Z':
		return pos == end || pos == end-1 && m.text[pos] == '\n'
	case '^':
		return pos == 0 || m.text[pos-1] == '\n' && pos < end
	case '$':
		return pos == end || m.text[pos] == '\n'
	}
	word := pos > 0 && wordByte(m.text[pos-1])
	boundary := word != (pos < end && wordByte(m.text[pos]))
	return boundary == (letter == 'b')
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
