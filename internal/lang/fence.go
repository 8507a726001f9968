package lang

import (
	"bytes"
	"strings"
)

// unfence takes source out of one Markdown code fence that is all around it, as
// models write it. Anything else is returned as it is: no program of a language
// that is run begins with three backticks or tildes.
func unfence(src []byte, infos ...string) []byte {
	body := bytes.TrimSpace(src)
	first, rest, ok := bytes.Cut(body, []byte("\n"))
	if !ok {
		return src
	}
	mark, info := fence(first)
	if mark == "" || !isInfo(info, infos) {
		return src
	}
	end := bytes.LastIndexByte(rest, '\n') + 1
	closing, more := fence(rest[end:])
	if more != "" || !strings.HasPrefix(closing, mark) {
		return src
	}
	inner := rest[:end]
	for line := range bytes.Lines(inner) {
		if other, more := fence(line); more == "" && strings.HasPrefix(other, mark) {
			return src // more than one block: which of them is meant is not ours to guess
		}
	}
	return inner
}

// fence splits a line that opens or closes a code fence into the fence and what
// follows it; the fence of any other line is empty.
func fence(line []byte) (mark, info string) {
	text := strings.TrimSpace(string(line))
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, c)
		if n := len(text) - len(rest); n >= 3 {
			return text[:n], strings.TrimSpace(rest)
		}
	}
	return "", ""
}

// isInfo reports whether the word behind an opening fence names the language,
// or nothing.
func isInfo(info string, infos []string) bool {
	word, _, _ := strings.Cut(info, " ")
	word = strings.ToLower(strings.Trim(word, "{}."))
	if word == "" {
		return info == ""
	}
	for _, i := range infos {
		if word == i {
			return true
		}
	}
	return false
}
