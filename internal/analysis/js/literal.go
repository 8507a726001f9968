package js

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// identifier decodes the escapes in a name: \u0065 and \u{65}.
func identifier(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw
	}
	return unescape(raw)
}

// stringValue is the value of a string literal with its quotes.
func stringValue(raw string) string {
	if len(raw) < 2 {
		return raw
	}
	return unescape(raw[1 : len(raw)-1])
}

// templateValue is the value of a template's part with its delimiters.
func templateValue(raw string) string {
	raw = strings.TrimPrefix(strings.TrimPrefix(raw, "`"), "}")
	raw = strings.TrimSuffix(strings.TrimSuffix(raw, "`"), "${")
	return unescape(raw)
}

// unescape decodes escapes. Source: ECMAScript 2022, 12.8.4. A lone surrogate
// becomes the replacement character.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		r, size := escape(s[i+1:])
		i += 1 + size
		if utf16.IsSurrogate(r) && strings.HasPrefix(s[i:], `\u`) {
			low, more := escape(s[i+1:])
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				r = both
				i += 1 + more
			}
		}
		if r >= 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape decodes what follows a backslash; -1: nothing (a line continuation).
func escape(s string) (r rune, size int) {
	switch c := s[0]; c {
	case 'n':
		return '\n', 1
	case 't':
		return '\t', 1
	case 'r':
		return '\r', 1
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'v':
		return '\v', 1
	case '\n':
		return -1, 1
	case 'x':
		return hexadecimal(s, 1, 3)
	case 'u':
		if strings.HasPrefix(s, "u{") {
			if end := strings.IndexByte(s, '}'); end > 0 {
				r, _ := hexadecimal(s, 2, end)
				return r, end + 1
			}
		}
		return hexadecimal(s, 1, 5)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return octal(s)
	default:
		r, size := utf8.DecodeRuneInString(s)
		return r, size
	}
}

func hexadecimal(s string, from, to int) (rune, int) {
	if to > len(s) {
		return rune(s[0]), 1
	}
	n, err := strconv.ParseUint(s[from:to], 16, 32)
	if err != nil || n > utf8.MaxRune {
		return rune(s[0]), 1
	}
	return rune(n), to
}

func octal(s string) (rune, int) {
	n, i := rune(0), 0
	for i < len(s) && i < 3 && '0' <= s[i] && s[i] <= '7' && n*8+rune(s[i]-'0') < 256 {
		n = n*8 + rune(s[i]-'0')
		i++
	}
	return n, i
}

// numberValue is the value of a numeric literal.
func numberValue(raw string) (float64, bool) {
	if raw == "" || raw[0] != '.' && (raw[0] < '0' || raw[0] > '9') || strings.HasSuffix(raw, "n") {
		return 0, false
	}
	raw = strings.ReplaceAll(raw, "_", "")
	if len(raw) > 1 && raw[0] == '0' && strings.ContainsRune("xXoObB", rune(raw[1])) {
		n, err := strconv.ParseUint(raw, 0, 64)
		return float64(n), err == nil
	}
	n, err := strconv.ParseFloat(raw, 64)
	return n, err == nil
}

// formatNumber writes a number as the language does, for the sizes that occur
// in names and texts.
func formatNumber(n float64) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}
