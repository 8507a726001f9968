package lang

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"palisade"
	"palisade/internal/python"
)

// Normalize returns the bytes of a program that are judged, and run, in place
// of src: UTF-8 without NUL and byte order mark, with "\n" as the only line
// end. What cannot be normalized is an error: for Python a
// [*python.SyntaxError], else one that says where.
func Normalize(l palisade.Language, src []byte) ([]byte, error) {
	if l == palisade.Python {
		return python.Normalize(src)
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, fmt.Errorf("line %d: source code cannot contain null bytes", lineOf(src, i))
	}
	if !utf8.Valid(src) {
		return nil, fmt.Errorf("line %d: source is not UTF-8", lineOf(src, len(validPrefix(src))))
	}
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(src, []byte("\r"), []byte("\n")), nil
}

func lineOf(src []byte, at int) int { return 1 + bytes.Count(src[:at], []byte("\n")) }

// validPrefix is what comes before the first byte that is not UTF-8.
func validPrefix(src []byte) []byte {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n <= 1 {
			return src[:i]
		}
		i += n
	}
	return src
}
