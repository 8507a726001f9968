package python

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Normalize returns the bytes that are to be analyzed and run in place of src:
// without byte order mark and with "\n" as the only line end. It refuses with a
// *SyntaxError what CPython could read in another way than an analyzer: bytes
// that are not UTF-8 (lone surrogates among them), a NUL, and a coding cookie
// in the first two lines that names anything but UTF-8. It may return src.
func Normalize(src []byte) ([]byte, error) {
	src, marked := bytes.CutPrefix(src, []byte("\xef\xbb\xbf"))
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, errorAt(src, i, "source code cannot contain null bytes")
	}
	if i := invalidUTF8(src); i >= 0 {
		return nil, errorAt(src, i, "source is not UTF-8")
	}
	if bytes.IndexByte(src, '\r') >= 0 {
		src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		src = bytes.ReplaceAll(src, []byte("\r"), []byte("\n"))
	}
	if cookie, at := codingCookie(src); cookie != "" && !utf8Cookie(cookie, marked) {
		return nil, errorAt(src, at, "source encoding must be UTF-8, not "+printable(cookie))
	}
	return src, nil
}

// invalidUTF8 returns the offset of the first byte that is not part of valid
// UTF-8, or -1.
func invalidUTF8(src []byte) int {
	if utf8.Valid(src) {
		return -1
	}
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// codingCookie finds what CPython takes for a declaration of the encoding, in
// the first line, or in the second if the first is blank or a comment. This is
// `^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)` of PEP 263.
func codingCookie(src []byte) (name string, at int) {
	start := 0
	for range 2 {
		end := bytes.IndexByte(src[start:], '\n')
		if end < 0 {
			end = len(src)
		} else {
			end += start
		}
		line := src[start:end]
		text := bytes.TrimLeft(line, " \t\f")
		if len(text) > 0 && text[0] != '#' {
			return "", 0
		}
		for rest := text; ; {
			i := bytes.Index(rest, []byte("coding"))
			if i < 0 {
				break
			}
			rest = rest[i+len("coding"):]
			if len(rest) == 0 || rest[0] != ':' && rest[0] != '=' {
				continue
			}
			value := bytes.TrimLeft(rest[1:], " \t")
			n := 0
			for n < len(value) && (class[value[n]]&cIdent != 0 && value[n] < 0x80 || value[n] == '-' || value[n] == '.') {
				n++
			}
			if n > 0 {
				return string(value[:n]), end - len(value)
			}
		}
		if end == len(src) {
			break
		}
		start = end + 1
	}
	return "", 0
}

// utf8Cookie reports whether a cookie names UTF-8 for every Python. Behind a
// byte order mark CPython takes fewer spellings.
func utf8Cookie(s string, marked bool) bool {
	s = strings.ReplaceAll(strings.ToLower(s), "_", "-")
	switch s {
	case "utf-8":
		return true
	case "utf8", "u8", "utf":
		return !marked
	}
	return strings.HasPrefix(s, "utf-8-") // as CPython's get_normal_name
}

// printable cuts a cookie to what an error message should hold.
func printable(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

func errorAt(src []byte, at int, msg string) *SyntaxError {
	before := src[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	col := at - (bytes.LastIndexByte(before, '\n') + 1)
	return &SyntaxError{Msg: msg, Line: line, Col: col, EndLine: line, EndCol: col + 1}
}
