package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Path is a path of the host that must not be told.
type Path struct {
	// Prefix is an absolute path. It matches as a whole or with what stands
	// below it, never in the middle of a name.
	Prefix string
	// As stands for the prefix, and what is below it stays: "<python>" makes
	// "<python>/json/decoder.py". Empty: the whole path becomes a placeholder.
	As string
}

// Config says what a Redactor must not tell beside secrets of known shape. The
// zero Config knows only those.
type Config struct {
	Paths []Path
	// Hosts and Users are names of the host and of its users. Names that are
	// short, common or numbers are left out: they would mangle ordinary text.
	Hosts, Users []string
}

// Redactor finds secrets. It may be used by several goroutines.
type Redactor struct {
	// matchers by the first byte of what they look for, longest first.
	matchers [256][]matcher
	// pairs are the first two bytes with which one of them begins.
	pairs [256][256]bool
}

// MaxHeld bounds what a Writer holds back, in bytes.
const MaxHeld = 8 << 10

// maxLiteral bounds a configured path or name, in bytes. Longer ones, which no
// file system has, are left out.
const maxLiteral = 1024

// New returns a Redactor. Building its tables takes about fifty microseconds.
func New(c Config) *Redactor {
	r := &Redactor{}
	for _, t := range tokens() {
		r.add(t)
	}
	for _, a := range assignments() {
		r.add(a)
	}
	r.add(bearer{})
	r.add(jwt{})
	r.add(userinfo{r})
	r.add(privateKey{})
	for _, p := range c.Paths {
		r.addPath(p)
	}
	for _, name := range c.Hosts {
		r.addName(name, "host-name")
	}
	for _, name := range c.Users {
		r.addName(name, "user-name")
	}
	for _, list := range r.matchers {
		longestFirst(list)
	}
	return r
}

func longestFirst(list []matcher) {
	slices.SortStableFunc(list, func(a, b matcher) int { return cmp.Compare(len(b.start()), len(a.start())) })
}

// With returns a Redactor that knows one path more.
func (r *Redactor) With(p Path) *Redactor {
	more := *r
	more.matchers['/'] = slices.Clone(r.matchers['/'])
	more.addPath(p)
	longestFirst(more.matchers['/'])
	return &more
}

func (r *Redactor) addPath(p Path) {
	prefix := strings.TrimRight(p.Prefix, "/")
	if strings.HasPrefix(prefix, "/") && len(prefix) > 1 && len(prefix) <= maxLiteral {
		r.add(path{prefix, p.As})
	}
}

func (r *Redactor) add(m matcher) {
	c, d := m.start()[0], m.start()[1]
	r.matchers[c] = append(r.matchers[c], m)
	r.pairs[c][d] = true
	if _, exact := m.(token); exact || !lower(c) {
		return
	}
	r.matchers[c-0x20] = append(r.matchers[c-0x20], m)
	for _, second := range [...]byte{d, other(d)} {
		r.pairs[c][second], r.pairs[c-0x20][second] = true, true
	}
}

// other returns a lower-case letter's other case, and other bytes as they are.
func other(c byte) byte {
	if lower(c) {
		return c - 0x20
	}
	return c
}

func (r *Redactor) addName(text, as string) {
	text = strings.ToLower(text)
	if len(text) < minName || len(text) > maxLiteral || common(text) || !nameLike(text) {
		return
	}
	r.add(name{text, as})
}

// String returns s with secrets replaced. It expects text without control
// sequences; Clean makes such text.
func (r *Redactor) String(s string) string {
	st := stream{r: r}
	return st.add(s, last)
}

// Clean returns foreign bytes as text: without control sequences, with secrets
// replaced, and such that Escape leaves it as it is.
func (r *Redactor) Clean(b []byte) string {
	var c cleaner
	return r.String(c.add(b, true))
}

// CleanCut is Clean for two ends of a text whose middle was left out. Where a
// secret was cut, no part of it remains: the head ends before it, and the tail
// begins with its first whole line, or word where lines are long.
func (r *Redactor) CleanCut(head, tail []byte) (string, string) {
	var c cleaner
	st := stream{r: r}
	first := st.add(c.add(trimRune(head), true), cut)
	c = cleaner{}
	rest := c.add(tail, true)
	next := stream{r: r, key: st.key}
	if line, after, ok := strings.Cut(rest, "\n"); ok && (st.key != nil && !isBase64(line) || cutLabel(line)) {
		// The tail begins within the line before a key's body.
		if next.key == nil {
			next.key = &key{}
		}
		return first, unended(next.add(after, last))
	}
	return first, resume(unended(next.add(rest, last)))
}

// trimRune drops an unfinished rune from the end of b.
func trimRune(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-n:]) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

// maxResume bounds how much of a tail is given up to begin it cleanly.
const maxResume = 1024

// unended drops what may be the end of a private key that began in what was
// left out, from the start of a tail in which whole secrets are replaced.
func unended(s string) string {
	for at := 0; ; {
		end := strings.Index(s[at:], "-----END ")
		if end < 0 {
			return s
		}
		line, rest, _ := strings.Cut(s[at+end:], "\n")
		if strings.Contains(line, "PRIVATE KEY") {
			return "\n" + placeholder("private-key") + "\n" + rest
		}
		at += end + len("-----END ")
	}
}

// resume drops what may be the rest of a secret from the start of a tail.
func resume(s string) string {
	window := s[:min(len(s), maxResume)]
	at := strings.IndexByte(window, '\n')
	if at < 0 {
		at = strings.IndexAny(window, " \t")
	}
	if at >= 0 {
		return s[at+1:]
	}
	for len(window) < len(s) && !utf8.RuneStart(s[len(window)]) {
		window = s[:len(window)+1]
	}
	return s[len(window):]
}

// stream replaces secrets in a text that comes in pieces.
type stream struct {
	r    *Redactor
	held []byte
	prev byte  // the byte written last
	run  class // what follows of this class belongs to the secret before
	key  *key  // a private key is being swallowed
}

// add returns the text of what is known after s.
func (st *stream) add(s string, e end) string {
	b := append(st.held, s...)
	var out strings.Builder
	out.Grow(len(b))
	i, done := 0, 0 // b[done:i] stays as it is
	for i < len(b) {
		if c := b[i]; st.run == nil && st.key == nil && (st.r.matchers[c] == nil && c != open[0] && c != '\\' || alnum(c) && alnum(st.prev)) {
			st.prev = c
			i++
			continue
		}
		if n, v := st.swallow(b[i:], e); n > 0 || v == need {
			i += n
			done = i
			if v == need {
				break
			}
			continue
		}
		m, n, v := st.look(b[i:], e)
		if v == need {
			break
		}
		if v == yes {
			out.Write(b[done : i+m.keep])
			out.WriteString(m.as)
			i += m.n
			done, st.prev, st.run = i, m.as[len(m.as)-1], m.run
			if m.key {
				st.key = &key{}
			}
			continue
		}
		if st.prev = b[i+n-1]; b[i] == '\\' {
			st.prev = '\\' // an escape's letters begin no word
		}
		i += n
	}
	out.Write(b[done:i])
	st.held = append([]byte(nil), b[i:]...)
	return out.String()
}

// swallow returns how many bytes of b belong to the secret before them.
func (st *stream) swallow(b []byte, e end) (int, verdict) {
	if st.run != nil {
		n := 0
		for n < len(b) && st.run(b[n]) {
			// No secret has this inside; a private key may follow one.
			switch v := hasPrefix(b[n:], "-----", false); {
			case v == need && e == more:
				return n, need
			case v == yes:
				st.run = nil
				return n, yesIf(n > 0)
			}
			n++
		}
		if n < len(b) {
			st.run = nil
		}
		return n, yes
	}
	if st.key != nil {
		n, v := st.key.skip(b, e)
		if v == no {
			st.key = nil
		}
		return n, v
	}
	return 0, no
}

// look returns the secret at the start of b, or how many bytes are none.
func (st *stream) look(b []byte, e end) (match, int, verdict) {
	c := b[0]
	if c == '\\' {
		n, v := atEscape(b, e)
		return match{}, n, v
	}
	if c == open[0] {
		switch n, v := atPlaceholder(b, e); v {
		case yes:
			return match{}, n, no // it stays
		case need:
			return match{}, 0, need
		}
	}
	if c == '/' && (urlSafe(st.prev) || st.prev == '.') || alnum(c) && alnum(st.prev) {
		return match{}, 1, no // in the middle of a path, or of a word
	}
	if len(b) > 1 && !st.r.pairs[c][b[1]] {
		return match{}, 1, no
	}
	for _, m := range st.r.matchers[c] {
		if found, v := m.find(b, e); v != no {
			return found, 0, v
		}
	}
	return match{}, 1, no
}
