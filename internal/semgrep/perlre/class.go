package perlre

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// perl are the sets that a letter behind a backslash stands for.
func perl(letter rune) (ranges []rune, not, ok bool) {
	switch unicode.ToLower(letter) {
	case 'd':
		ranges = []rune{'0', '9'}
	case 'w':
		ranges = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	case 's':
		ranges = []rune{'\t', '\r', ' ', ' '}
	case 'h':
		ranges = []rune{'\t', '\t', ' ', ' ', 0xa0, 0xa0}
	default:
		return nil, false, false
	}
	return ranges, unicode.IsUpper(letter), true
}

// posix are the sets of [:name:].
func posix(name string) []rune {
	switch name {
	case "alpha":
		return []rune{'A', 'Z', 'a', 'z'}
	case "digit":
		return []rune{'0', '9'}
	case "alnum":
		return []rune{'0', '9', 'A', 'Z', 'a', 'z'}
	case "upper":
		return []rune{'A', 'Z'}
	case "lower":
		return []rune{'a', 'z'}
	case "space":
		return []rune{'\t', '\r', ' ', ' '}
	case "xdigit":
		return []rune{'0', '9', 'A', 'F', 'a', 'f'}
	case "punct":
		return []rune{'!', '/', ':', '@', '[', '`', '{', '~'}
	case "word":
		return []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	}
	return nil
}

// inverse is everything that the ranges leave out; they are in order.
func inverse(ranges []rune) (out []rune) {
	next := rune(0)
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] > next {
			out = append(out, next, ranges[i]-1)
		}
		next = ranges[i+1] + 1
	}
	return append(out, next, utf8.MaxRune)
}

// class reads what stands behind an opening square bracket.
func (p *parser) class() (*part, error) {
	c := &class{fold: p.flags.fold, not: p.accept("^")}
	for first := true; ; first = false {
		if !p.more() {
			return nil, errEnd
		}
		if !first && p.accept("]") {
			return &part{kind: set, class: c}, nil
		}
		if p.accept("[:") {
			end := strings.Index(p.src[p.at:], ":]")
			if end < 0 || posix(p.src[p.at:p.at+end]) == nil {
				return nil, fmt.Errorf("a class is not known, at %d", p.at)
			}
			c.ranges = append(c.ranges, posix(p.src[p.at:p.at+end])...)
			p.at += end + 2
			continue
		}
		low, ranges, err := p.member()
		if err != nil {
			return nil, err
		}
		if ranges != nil {
			c.ranges = append(c.ranges, ranges...)
			continue
		}
		high := low
		if p.at+1 < len(p.src) && p.src[p.at] == '-' && p.src[p.at+1] != ']' {
			p.at++
			if high, ranges, err = p.member(); err != nil || ranges != nil || high < low {
				return nil, fmt.Errorf("a range is none, at %d", p.at)
			}
		}
		c.ranges = append(c.ranges, low, high)
	}
}

// member reads one character of a class, or a set of them.
func (p *parser) member() (rune, []rune, error) {
	r := p.rune()
	if r != '\\' {
		return r, nil, nil
	}
	if !p.more() {
		return 0, nil, errEnd
	}
	letter, _ := utf8.DecodeRuneInString(p.src[p.at:])
	if ranges, not, ok := perl(letter); ok {
		p.at++
		if not {
			ranges = inverse(ranges)
		}
		return 0, ranges, nil
	}
	if p.accept("b") {
		return '\b', nil, nil
	}
	r, err := p.escaped()
	return r, nil, err
}

// escape reads what stands behind a backslash outside a class.
func (p *parser) escape() (*part, error) {
	if !p.more() {
		return nil, errEnd
	}
	letter, n := utf8.DecodeRuneInString(p.src[p.at:])
	if ranges, not, ok := perl(letter); ok {
		p.at += n
		return &part{kind: set, class: &class{ranges: ranges, not: not}}, nil
	}
	switch {
	case letter >= '1' && letter <= '9':
		end := p.at + 1
		for end < len(p.src) && end < p.at+2 && p.src[end] >= '0' && p.src[end] <= '9' {
			end++
		}
		number, err := strconv.Atoi(p.src[p.at:end])
		p.at = end
		return p.reference(number, ""), err
	case p.accept("k<"):
		name, err := p.name('>')
		return p.reference(0, name), err
	case p.accept("k{"):
		name, err := p.name('}')
		return p.reference(0, name), err
	case strings.ContainsRune("bBAzZ", letter):
		p.at += n
		return &part{kind: assertion, r: letter}, nil
	}
	r, err := p.escaped()
	if err != nil {
		return nil, err
	}
	return &part{kind: char, r: r, fold: p.flags.fold}, nil
}

// escaped reads an escape that stands for one character.
func (p *parser) escaped() (rune, error) {
	switch r := p.rune(); {
	case r == 'n':
		return '\n', nil
	case r == 't':
		return '\t', nil
	case r == 'r':
		return '\r', nil
	case r == 'f':
		return '\f', nil
	case r == 'v':
		return '\v', nil
	case r == 'a':
		return '\a', nil
	case r == 'e':
		return 0x1b, nil
	case r == '0':
		return 0, nil
	case r == 'x':
		return p.hex()
	case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		return 0, fmt.Errorf("\\%c is not known", r)
	default:
		return r, nil
	}
}

// hex reads the digits of \x41 or \x{41}.
func (p *parser) hex() (rune, error) {
	digits := p.src[p.at:]
	if p.accept("{") {
		end := strings.IndexByte(digits, '}')
		if end < 0 {
			return 0, errEnd
		}
		digits = digits[1:end]
		p.at += end
	} else {
		digits = digits[:min(2, len(digits))]
		p.at += len(digits)
	}
	n, err := strconv.ParseUint(digits, 16, 21)
	if err != nil {
		return 0, fmt.Errorf("\\x%s is no character", digits)
	}
	return rune(n), nil
}
