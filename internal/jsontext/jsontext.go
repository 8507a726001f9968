package jsontext

import "strconv"

// LoneSurrogate reports whether JSON has an escape for half of a surrogate pair
// (RFC 8259, section 8.2), which encoding/json replaces in silence.
func LoneSurrogate(raw []byte) bool {
	unit := func(i int) int64 { // the escape \uXXXX at i, or -1
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
		if err != nil {
			return -1
		}
		return int64(n)
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch n := unit(i); {
		case n >= 0xdc00 && n <= 0xdfff:
			return true
		case n >= 0xd800 && n <= 0xdbff:
			if low := unit(i + 6); low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 11
		default:
			i++ // past what is escaped
		}
	}
	return false
}
