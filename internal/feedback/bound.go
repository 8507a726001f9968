package feedback

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"palisade/internal/redact"
)

// maxMark bounds the mark that stands for what was left out, and what cleaning
// adds beside it, in bytes.
const maxMark = 96

// mark stands for n bytes that were left out.
func mark(n int64) string { return fmt.Sprintf("[… %d bytes left out …]", n) }

// bound returns s, or its head and tail with a mark between them, in at most
// limit bytes, and whether it was cut.
func (s *Sanitizer) bound(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	return s.join(text[:len(text)/2], text[len(text)/2:], 0, limit), true
}

// join returns head, a mark and tail in at most limit bytes; missing bytes
// stood between them.
func (s *Sanitizer) join(head, tail string, missing int64, limit int) string {
	room := limit - maxMark
	if room < 0 {
		return ""
	}
	whole := len(head) + len(tail)
	switch half := room / 2; {
	case whole <= room:
	case len(tail) <= half:
		head = headOf(head, room-len(tail))
	case len(head) <= half:
		tail = tailOf(tail, room-len(head))
	default:
		head, tail = headOf(head, half), tailOf(tail, half)
	}
	missing += int64(whole - len(head) - len(tail))
	head = strings.TrimSuffix(head, "\n")
	if head != "" {
		head += "\n"
	}
	if tail != "" {
		tail = "\n" + strings.TrimPrefix(tail, "\n")
	}
	// At the cut, a part may look like what the whole was not.
	return s.redactor.Clean([]byte(head + mark(missing) + tail))
}

// slack is how far back a cut may move to fall between two lines, in bytes.
const slack = 200

// headOf returns the first n bytes of s or a little less: it ends with a line
// where one ends near, and never within a rune or a placeholder.
func headOf(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	s = s[:n]
	if at := strings.LastIndexByte(s, '\n'); at >= 0 && n-at <= slack {
		return s[:at+1]
	}
	if at := strings.LastIndexByte(s, '['); at >= 0 && n-at <= maxMark && !strings.Contains(s[at:], "]") {
		return s[:at]
	}
	return s
}

// tailOf returns the last n bytes of s or a little less: it begins with a line
// where one begins near, and never within a rune or a placeholder.
func tailOf(s string, n int) string {
	if n >= len(s) {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	near := s[at:min(at+slack, len(s))]
	if line := strings.IndexByte(near, '\n'); line >= 0 {
		return s[at+line+1:]
	}
	if end := strings.IndexByte(near[:min(len(near), maxMark)], ']'); end >= 0 && !strings.Contains(near[:end], "[") {
		return s[at+end+1:]
	}
	return s[at:]
}

// short returns one line of foreign text in at most limit bytes.
func short(s string, limit int) string {
	s = redact.EscapeLine(s)
	if len(s) <= limit {
		return s
	}
	n := limit - len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return redact.EscapeLine(s[:n] + "…")
}
