package python

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxIntDigits is sys.int_info.default_max_str_digits: longer decimal literals
// are refused by every maintained patch release of 3.8 to 3.14.
const maxIntDigits = 4300

// number finds the end of the number at src[pos]; msg says what is wrong.
func number(src string, pos, minor int) (end int, msg string) {
	digits := func(set uint8) bool {
		for {
			if class[src[pos]]&set == 0 {
				return false
			}
			for class[src[pos]]&set != 0 {
				pos++
			}
			if src[pos] != '_' {
				return true
			}
			pos++
		}
	}
	if src[pos] == '0' {
		switch src[pos+1] | 0x20 {
		case 'x':
			return radix(src, pos+2, 16, "hexadecimal", minor)
		case 'o':
			return radix(src, pos+2, 8, "octal", minor)
		case 'b':
			return radix(src, pos+2, 2, "binary", minor)
		}
	}
	leadingZero := false
	if src[pos] != '.' {
		start := pos
		if !digits(cDigit) {
			return pos, "invalid decimal literal"
		}
		leadingZero = src[start] == '0' && strings.Trim(src[start:pos], "0_") != ""
	}
	real := false
	if src[pos] == '.' {
		real = true
		pos++
		if class[src[pos]]&cDigit != 0 && !digits(cDigit) {
			return pos, "invalid decimal literal"
		}
	}
	if src[pos]|0x20 == 'e' {
		p := pos + 1
		if src[p] == '+' || src[p] == '-' {
			p++
		}
		if class[src[p]]&cDigit != 0 {
			real = true
			pos = p
			if !digits(cDigit) {
				return pos, "invalid decimal literal"
			}
		}
	}
	if src[pos]|0x20 == 'j' {
		return numberEnd(src, pos+1, minor, "imaginary")
	}
	if leadingZero && !real {
		return pos, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers"
	}
	return numberEnd(src, pos, minor, "decimal")
}

// radix finds the end of the digits of an 0x, 0o or 0b literal.
func radix(src string, pos, base int, name string, minor int) (end int, msg string) {
	for {
		if src[pos] == '_' {
			pos++
		}
		first := pos
		for digitValue(src[pos]) < base {
			pos++
		}
		if pos == first {
			return pos, "invalid " + name + " literal"
		}
		if class[src[pos]]&cDigit != 0 {
			return pos, "invalid digit '" + src[pos:pos+1] + "' in " + name + " literal"
		}
		if src[pos] != '_' {
			return numberEnd(src, pos, minor, name)
		}
	}
}

func digitValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

// numberEnd refuses a name right behind a number, except for the keywords which
// CPython lets stand there (verify_end_of_number, since 3.9).
func numberEnd(src string, pos, minor int, name string) (end int, msg string) {
	if class[src[pos]]&cIdent == 0 || minor < 9 {
		return pos, ""
	}
	for _, k := range [...]string{"and", "else", "for", "if", "in", "is", "or", "not"} {
		if strings.HasPrefix(src[pos:], k) {
			return pos, ""
		}
	}
	return pos, "invalid " + name + " literal"
}

// numberValue is the value of a number that the lexer has accepted.
func numberValue(s string) (v Value, msg string) {
	if strings.IndexByte(s, '_') >= 0 {
		s = strings.ReplaceAll(s, "_", "")
	}
	if len(s) > 2 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			return radixValue(s[2:], 4), ""
		case 'o':
			return radixValue(s[2:], 3), ""
		case 'b':
			return radixValue(s[2:], 1), ""
		}
	}
	if last := s[len(s)-1]; last|0x20 == 'j' {
		return Value{Kind: Complex, Float: float(s[:len(s)-1])}, ""
	}
	if strings.ContainsAny(s, ".eE") {
		return Value{Kind: Float, Float: float(s)}, ""
	}
	if len(s) <= 18 {
		var n int64
		for i := range len(s) {
			n = n*10 + int64(s[i]-'0')
		}
		return Value{Kind: Int, Int: n}, ""
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		return Value{Kind: Int}, ""
	}
	if len(s) > maxIntDigits {
		return v, "exceeds the limit (4300 digits) for integer string conversion; consider hexadecimal"
	}
	n, _ := new(big.Int).SetString(s, 10)
	return intValue(n), ""
}

func intValue(n *big.Int) Value {
	if n.IsInt64() {
		return Value{Kind: Int, Int: n.Int64()}
	}
	return Value{Kind: Int, Big: n}
}

// radixValue is linear, which big.Int.SetString is not.
func radixValue(digits string, bits uint) Value {
	digits = strings.TrimLeft(digits, "0")
	if len(digits)*int(bits) <= 62 {
		var n int64
		for i := range len(digits) {
			n = n<<bits | int64(digitValue(digits[i]))
		}
		return Value{Kind: Int, Int: n}
	}
	buf := make([]byte, (len(digits)*int(bits)+7)/8)
	at := len(buf)
	var acc, have uint
	for i := len(digits) - 1; i >= 0; i-- {
		acc |= uint(digitValue(digits[i])) << have
		if have += bits; have >= 8 {
			at--
			buf[at] = byte(acc)
			acc >>= 8
			have -= 8
		}
	}
	if have > 0 {
		at--
		buf[at] = byte(acc)
	}
	return intValue(new(big.Int).SetBytes(buf))
}

// float reads a decimal as CPython does; too large is infinite.
func float(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0 // not reached: the lexer has checked the form
	}
	return f
}
