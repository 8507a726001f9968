package shell

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A value is the texts that a word may be, all of them. A text can have holes:
// bytes that occur in no UTF-8 text and stand for something unknown.
type value []string

// The holes. Which one it is says where the unknown comes from.
const (
	hole        = '\xff' // unknown
	holeNetwork = '\xfe' // came over the network
	holeInput   = '\xfd' // arguments or standard input
	holeFile    = '\xfc' // a file's content
)

// Marks stand for themselves, or for nothing.
const (
	markDecoded = '\xf7' // with text that was written in an encoded form
	globStar    = '\xf8' // * ? [ that are patterns, not text
	globAny     = '\xf9'
	globClass   = '\xfa'
)

const (
	// maxAlternatives bounds the texts of a value; more become one with a hole.
	maxAlternatives = 16
	// maxText bounds one text; what is beyond becomes a hole.
	maxText = 64 << 10
)

var unknown = value{string([]byte{hole})}

// text makes a value of one known text.
func text(s string) value { return value{s} }

// hasHole looks for the bytes themselves: string searches by rune would take
// every byte that is not UTF-8 for the same.
func hasHole(s string) bool { return firstHole(s) >= 0 }

func firstHole(s string) int {
	for i := range len(s) {
		if s[i] >= holeFile {
			return i
		}
	}
	return -1
}

// prefix is what a text certainly begins with.
func prefix(s string) string {
	if i := firstHole(s); i >= 0 {
		return s[:i]
	}
	return s
}

// suffix is what a text with holes certainly ends with.
func suffix(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] >= holeFile {
			return s[i+1:]
		}
	}
	return s
}

// has reports whether a text has a certain hole or mark.
func has(s string, mark byte) bool { return strings.IndexByte(s, mark) >= 0 }

// marked is a text that was written in an encoded form.
func marked(s string) string { return string([]byte{markDecoded}) + s }

// markLast puts the mark that a field begins with behind it: what a path or an
// option begins with decides what it is.
func markLast(s string) string {
	if s == "" || s[0] != markDecoded {
		return s
	}
	text := s
	for text != "" && text[0] == markDecoded {
		text = text[1:]
	}
	return text + s[:1]
}

// plain gives a text without its marks; patterns are written as such.
func plain(s string) string {
	clean := true
	for i := range len(s) {
		if s[i] >= markDecoded && s[i] < holeFile {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; c {
		case markDecoded:
		case globStar:
			out = append(out, '*')
		case globAny:
			out = append(out, '?')
		case globClass:
			out = append(out, '[')
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// shown writes a text for people: holes are an ellipsis.
func shown(s string) string {
	var b strings.Builder
	s = plain(s)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			r = '…'
		}
		if r < ' ' {
			r = ' '
		}
		b.WriteRune(r)
		i += n
		if b.Len() > 120 {
			b.WriteRune('…')
			break
		}
	}
	return b.String()
}

// isPattern reports whether a field holds an active pattern character.
func isPattern(s string) bool {
	return strings.IndexByte(s, globStar) >= 0 || strings.IndexByte(s, globAny) >= 0 || strings.IndexByte(s, globClass) >= 0
}

// activate makes the pattern characters of unquoted text active.
func activate(s string) string {
	if !strings.ContainsAny(s, "*?[") {
		return s
	}
	return strings.NewReplacer("*", string([]byte{globStar}), "?", string([]byte{globAny}), "[", string([]byte{globClass})).Replace(s)
}

// join is a value that may be either of two.
func join(a, b value) value {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return bounded(out)
}

// bounded makes one text with a hole of too many, and cuts long ones.
func bounded(v value) value {
	for i, s := range v {
		if len(s) > maxText {
			v[i] = s[:1024] + worst(s)
		}
	}
	if len(v) <= maxAlternatives {
		return v
	}
	return value{squash(v)}
}

// squash makes one text of a value: what all its texts begin with, and a hole.
func squash(v value) string {
	if len(v) == 1 {
		return v[0]
	}
	common := v[0]
	for _, s := range v[1:] {
		n := 0
		for n < min(len(s), len(common)) && s[n] == common[n] {
			n++
		}
		common = common[:n]
	}
	return strings.ToValidUTF8(prefix(common), "") + worst(strings.Join(v, ""))
}

// worst is the hole that stands for an unknown which depends on a text.
func worst(s string) string {
	for _, h := range []byte{holeNetwork, markDecoded, holeInput, holeFile} {
		if has(s, h) {
			if h == markDecoded {
				return marked(unknown[0])
			}
			return string([]byte{h})
		}
	}
	return string([]byte{hole})
}

// worstOf is the same for a value.
func worstOf(v value) string { return worst(strings.Join(v, "")) }

// concat puts two values after one another.
func concat(a, b value) value {
	if len(a) == 1 && len(b) == 1 {
		return bounded(value{meld(a[0], b[0])})
	}
	out := make(value, 0, min(len(a)*len(b), 4*maxAlternatives))
	for _, x := range a {
		for _, y := range b {
			if s := meld(x, y); !slices.Contains(out, s) {
				out = append(out, s)
			}
			if len(out) > 2*maxAlternatives {
				return bounded(append(out, worstOf(b)))
			}
		}
	}
	return bounded(out)
}

// meld concatenates; two equal holes side by side are one.
func meld(a, b string) string {
	if a != "" && b != "" && a[len(a)-1] >= holeFile && a[len(a)-1] == b[0] {
		b = b[1:]
	}
	return a + b
}

// each applies f to each known text; what has holes becomes one.
func (v value) each(f func(string) string) value {
	out := make(value, 0, len(v))
	for _, s := range v {
		t := worst(s)
		if !hasHole(s) {
			t = f(s)
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// only is the one text of a value that is wholly known.
func (v value) only() (string, bool) {
	if len(v) == 1 && !hasHole(v[0]) {
		return plain(v[0]), true
	}
	return "", false
}
