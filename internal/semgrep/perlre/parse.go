package perlre

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of an expression.
const (
	maxBytes  = 4096
	maxDepth  = 50
	maxRepeat = 1000
)

type flags struct{ fold, multi, newline, extended bool }

type parser struct {
	src   string
	at    int
	flags flags
	depth int
	names []string // of the groups; the first is the whole
	refs  []*part  // by name, until all names are known
	named []string
}

var errEnd = errors.New("it ends too early")

// parse reads a whole expression.
func parse(src string) (*part, []string, error) {
	if len(src) > maxBytes || !utf8.ValidString(src) {
		return nil, nil, fmt.Errorf("it is longer than %d bytes or no UTF-8", maxBytes)
	}
	p := &parser{src: src, names: []string{""}}
	root, err := p.alternatives()
	if err == nil && p.at < len(p.src) {
		err = fmt.Errorf("a bracket is closed that was not opened, at %d", p.at)
	}
	if err != nil {
		return nil, nil, err
	}
	return root, p.names, p.resolve(root)
}

// resolve gives back-references their groups.
func (p *parser) resolve(root *part) error {
	for i, ref := range p.refs {
		if p.named[i] != "" {
			ref.n = 0
			for n, name := range p.names {
				if name == p.named[i] {
					ref.n = n
				}
			}
		}
		if ref.n < 1 || ref.n >= len(p.names) {
			return errors.New("a back-reference has no group")
		}
	}
	return nil
}

func (p *parser) more() bool { return p.at < len(p.src) }

func (p *parser) accept(s string) bool {
	if strings.HasPrefix(p.src[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *parser) rune() rune {
	r, n := utf8.DecodeRuneInString(p.src[p.at:])
	p.at += n
	return r
}

// alternatives reads up to the end or to a closing bracket; the flags that are
// set inside end there.
func (p *parser) alternatives() (*part, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errors.New("it is nested too deep")
	}
	before := p.flags
	defer func() { p.depth--; p.flags = before }()
	var list []*part
	for {
		one, err := p.sequence()
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		if !p.accept("|") {
			break
		}
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return &part{kind: choice, kids: list}, nil
}

func (p *parser) sequence() (*part, error) {
	out := &part{kind: sequence}
	for p.more() && p.src[p.at] != '|' && p.src[p.at] != ')' {
		if p.blank() {
			continue
		}
		one, err := p.atom()
		if err != nil {
			return nil, err
		}
		if one == nil {
			continue
		}
		for {
			again, err := p.quantifier(one)
			if err != nil {
				return nil, err
			}
			if again == one {
				break
			}
			one = again
		}
		out.kids = append(out.kids, one)
	}
	return out, nil
}

// blank skips what the flag x makes meaningless.
func (p *parser) blank() bool {
	if !p.flags.extended {
		return false
	}
	switch p.src[p.at] {
	case ' ', '\t', '\n', '\r', '\f':
		p.at++
		return true
	case '#':
		if end := strings.IndexByte(p.src[p.at:], '\n'); end >= 0 {
			p.at += end + 1
		} else {
			p.at = len(p.src)
		}
		return true
	}
	return false
}

// quantifier wraps a part in what is written behind it.
func (p *parser) quantifier(one *part) (*part, error) {
	if !p.more() {
		return one, nil
	}
	q := &part{kind: repeat, kids: []*part{one}, max: -1}
	switch p.src[p.at] {
	case '*':
		p.at++
	case '+':
		p.at++
		q.min = 1
	case '?':
		p.at++
		q.max = 1
	case '{':
		if !p.counts(q) {
			return one, nil
		}
	default:
		return one, nil
	}
	if one.kind == assertion || q.min > maxRepeat || q.max > maxRepeat || q.max >= 0 && q.max < q.min {
		return nil, fmt.Errorf("a repetition is not possible, at %d", p.at)
	}
	if p.accept("?") {
		q.lazy = true
	} else if p.accept("+") {
		return &part{kind: atomic, kids: []*part{q}}, nil
	}
	return q, nil
}

// counts reads {2}, {2,} or {2,3}; anything else in braces is itself.
func (p *parser) counts(q *part) bool {
	end := strings.IndexByte(p.src[p.at:], '}')
	if end < 0 {
		return false
	}
	low, high, both := strings.Cut(p.src[p.at+1:p.at+end], ",")
	n, err := strconv.Atoi(low)
	if err != nil || n < 0 {
		return false
	}
	q.min, q.max = n, n
	if both {
		if q.max = -1; high != "" {
			if q.max, err = strconv.Atoi(high); err != nil || q.max < 0 {
				return false
			}
		}
	}
	p.at += end + 1
	return true
}

// atom reads one part; nil where only flags were set.
func (p *parser) atom() (*part, error) {
	switch r := p.rune(); r {
	case '(':
		return p.group()
	case '[':
		return p.class()
	case '\\':
		return p.escape()
	case '.':
		return &part{kind: any, newline: p.flags.newline}, nil
	case '^':
		return p.line('A', '^'), nil
	case '$':
		return p.line('Z', '$'), nil
	case '*', '+', '?':
		return nil, fmt.Errorf("nothing is there to repeat, at %d", p.at)
	default:
		return &part{kind: char, r: r, fold: p.flags.fold}, nil
	}
}

func (p *parser) line(single, multi rune) *part {
	if p.flags.multi {
		return &part{kind: assertion, r: multi}
	}
	return &part{kind: assertion, r: single}
}

// group reads what stands behind an opening bracket.
func (p *parser) group() (*part, error) {
	out := &part{kind: sequence}
	switch {
	case !p.accept("?"):
		out = p.capture("")
	case p.accept(":"):
	case p.accept("#"):
		end := strings.IndexByte(p.src[p.at:], ')')
		if end < 0 {
			return nil, errEnd
		}
		p.at += end + 1
		return nil, nil
	case p.accept(">"):
		out.kind = atomic
	case p.accept("="):
		out.kind = look
	case p.accept("!"):
		out.kind, out.negative = look, true
	case p.accept("<="):
		out.kind, out.behind = look, true
	case p.accept("<!"):
		out.kind, out.behind, out.negative = look, true, true
	case p.accept("P="):
		name, err := p.name(')')
		return p.reference(0, name), err
	case p.accept("P<"), p.accept("<"):
		name, err := p.name('>')
		if err != nil {
			return nil, err
		}
		out = p.capture(name)
	case p.accept("'"):
		name, err := p.name('\'')
		if err != nil {
			return nil, err
		}
		out = p.capture(name)
	default:
		return p.setFlags()
	}
	return p.inside(out)
}

func (p *parser) capture(name string) *part {
	p.names = append(p.names, name)
	return &part{kind: group, n: len(p.names) - 1}
}

func (p *parser) inside(out *part) (*part, error) {
	body, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, errEnd
	}
	out.kids = []*part{body}
	return out, nil
}

func (p *parser) name(end byte) (string, error) {
	n := strings.IndexByte(p.src[p.at:], end)
	if n < 1 || strings.Trim(p.src[p.at:p.at+n], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return "", fmt.Errorf("a name is missing, at %d", p.at)
	}
	name := p.src[p.at : p.at+n]
	p.at += n + 1
	return name, nil
}

func (p *parser) reference(n int, name string) *part {
	ref := &part{kind: backref, n: n, fold: p.flags.fold}
	p.refs, p.named = append(p.refs, ref), append(p.named, name)
	return ref
}

// setFlags reads (?i), which counts to the end of the group round it, or (?i:…).
func (p *parser) setFlags() (*part, error) {
	now, on := p.flags, true
	for p.more() {
		switch c := p.rune(); c {
		case '-':
			on = false
		case 'i':
			now.fold = on
		case 'm':
			now.multi = on
		case 's':
			now.newline = on
		case 'x':
			now.extended = on
		case ')':
			p.flags = now
			return nil, nil
		case ':':
			before := p.flags
			p.flags = now
			out, err := p.inside(&part{kind: sequence})
			p.flags = before
			return out, err
		default:
			return nil, fmt.Errorf("(?%c is not known", c)
		}
	}
	return nil, errEnd
}
