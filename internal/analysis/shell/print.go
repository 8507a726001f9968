package shell

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// echo prints its arguments.
func (c *call) echo() value {
	args, escapes, end := c.args, false, "\n"
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		escapes = escapes && !strings.Contains(args[0], "E") || strings.Contains(args[0], "e")
		if strings.Contains(args[0], "n") {
			end = ""
		}
		args = args[1:]
	}
	s := strings.Join(args, " ")
	c.step(1 + len(s)/256)
	if escapes {
		s = decodeANSI(s)
	}
	return bounded(value{keepPatterns(s) + end})
}

// keepPatterns writes active patterns as text: what matches nothing stays.
func keepPatterns(s string) string {
	if !isPattern(s) {
		return s
	}
	if has(s, markDecoded) {
		return marked(plain(s))
	}
	return plain(s)
}

// printf prints, or sets a variable.
func (c *call) printf() value {
	args, name := c.args, ""
	for len(args) > 0 {
		if a := plain(args[0]); a == "-v" && len(args) > 1 {
			name, args = plain(args[1]), args[2:]
		} else if strings.HasPrefix(a, "-v") && len(a) > 2 {
			name, args = a[2:], args[1:]
		} else if a == "--" {
			args = args[1:]
			break
		} else {
			break
		}
	}
	out := text("")
	if len(args) > 0 {
		out = bounded(value{c.format(args[0], args[1:])})
	}
	if name == "" {
		return out
	}
	c.subscripts(c.sc, c.place, value{name})
	if strings.Contains(name, "[") {
		c.assignSubscript(name, out)
	} else if !hasHole(name) {
		c.assign(c.sc, c.place, name, out)
	}
	return text("")
}

// maxTurnsPrinted bounds how often a format is used again.
const maxTurnsPrinted = 1024

// format is printf's: the format is used again while there are arguments.
func (c *call) format(f string, args fields) string {
	if hasHole(f) {
		return prefix(f) + worst(f+strings.Join(args, ""))
	}
	f = decodeANSI(f)
	var b strings.Builder
	for turn := 0; ; turn++ {
		c.step(1 + len(f)/64)
		used := c.formatOnce(&b, f, args)
		args = args[min(used, len(args)):]
		if used == 0 || len(args) == 0 {
			return b.String()
		}
		if turn > maxTurnsPrinted || b.Len() > maxText {
			return b.String() + worst(strings.Join(args, ""))
		}
	}
}

func (c *call) formatOnce(b *strings.Builder, f string, args fields) (used int) {
	next := func() string {
		used++
		if used <= len(args) {
			return args[used-1]
		}
		return ""
	}
	for i := 0; i < len(f); i++ {
		if f[i] != '%' || i+1 == len(f) {
			b.WriteByte(f[i])
			continue
		}
		start := i
		i++
		for i < len(f) && strings.IndexByte("-+ #0123456789.*'", f[i]) >= 0 {
			if f[i] == '*' {
				next()
			}
			i++
		}
		if i == len(f) {
			break
		}
		spec := f[start+1 : i]
		switch f[i] {
		case '%':
			b.WriteByte('%')
		case 's', 'q':
			b.WriteString(precise(spec, keepPatterns(next())))
		case 'b':
			b.WriteString(decodeANSI(keepPatterns(next())))
		case 'c':
			s := next()
			if _, n := utf8.DecodeRuneInString(s); n > 0 {
				b.WriteString(s[:n])
			}
		case '(':
			end := strings.IndexByte(f[i:], 'T')
			if end < 0 {
				return used
			}
			i += end
			next()
			b.WriteByte(hole)
		default:
			b.WriteString(integerText(f[i], spec, next()))
		}
	}
	return used
}

// precise cuts a text to the precision of a conversion: %.0s is nothing.
func precise(spec, s string) string {
	_, p, ok := strings.Cut(spec, ".")
	if !ok || strings.Contains(p, "*") {
		return s
	}
	n, _ := strconv.Atoi(p)
	if hasHole(s) && n > 0 {
		return worst(s)
	}
	r := []rune(plain(s))
	return keepMark(s, string(r[:min(n, len(r))]))
}

// integerText formats a number, or the code of a character after a quote.
func integerText(verb byte, spec, s string) string {
	s = plain(s)
	var n int64
	if len(s) > 1 && (s[0] == '\'' || s[0] == '"') && !hasHole(s) {
		r, _ := utf8.DecodeRuneInString(s[1:])
		n = int64(r)
	} else if v, ok := integer(s); ok && !hasHole(s) {
		n = v
	} else {
		return worst(s)
	}
	base := 10
	switch verb {
	case 'x', 'X':
		base = 16
	case 'o':
		base = 8
	case 'd', 'i', 'u':
	default:
		return worst(s + "\xff")
	}
	out := strconv.FormatInt(n, base)
	width, err := strconv.Atoi(strings.TrimLeft(spec, "-+ #"))
	if err == nil && strings.HasPrefix(spec, "0") && width <= 64 && len(out) < width {
		out = strings.Repeat("0", width-len(out)) + out
	}
	return out
}

// filter gives what a command makes of known text; nil: it is not computed.
func filter(name string) func(*call, arguments, value) value {
	switch name {
	case "base64", "base32":
		return decodeBase
	case "xxd":
		return decodeHex
	case "rev":
		return func(c *call, _ arguments, v value) value { return c.lines(v, reverse) }
	case "tr":
		return translate
	case "cut":
		return cutFields
	case "tac":
		return func(c *call, _ arguments, v value) value {
			return v.each(func(s string) string {
				lines := strings.SplitAfter(s, "\n")
				slices.Reverse(lines)
				return decoded(plain(strings.Join(lines, "")))
			})
		}
	}
	return nil
}

// ofOperand gives what a command makes of its operand as a text; nil: it looks
// at the file.
func ofOperand(name string) func(string) string {
	switch name {
	case "dirname":
		return path.Dir
	case "basename":
		return path.Base
	case "realpath", "readlink", "which":
		return func(s string) string { return s }
	}
	return nil
}

// decoded marks a text that was written in another form.
func decoded(s string) string {
	if s == "" {
		return s
	}
	return marked(honest([]byte(plain(s))))
}

// hidden marks what is not known as decoded.
func hidden(v value) value {
	out := make(value, len(v))
	for i, s := range v {
		if out[i] = s; hasHole(s) && !has(s, holeNetwork) {
			out[i] = marked(s)
		}
	}
	return out
}

func decodeBase(c *call, a arguments, v value) value {
	if !a.flag("-d", "-D", "--decode") {
		return value{worstOf(v)}
	}
	return hidden(v).each(func(s string) string {
		c.step(1 + len(s)/64)
		s = strings.Join(strings.Fields(plain(s)), "")
		if c.name == "base32" {
			b, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(s, "="))
			return decoded(string(b))
		}
		b, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "="))
		return decoded(string(b))
	})
}

func decodeHex(c *call, a arguments, v value) value {
	if !a.flag("-r") {
		return value{worstOf(v)}
	}
	return hidden(v).each(func(s string) string {
		c.step(1 + len(s)/64)
		b, err := hex.DecodeString(strings.Join(strings.Fields(plain(s)), ""))
		if err != nil {
			return marked(unknown[0])
		}
		return decoded(string(b))
	})
}

// lines applies f to each line.
func (c *call) lines(v value, f func(string) string) value {
	return v.each(func(s string) string {
		c.step(1 + len(s)/64)
		var b strings.Builder
		for line := range strings.Lines(plain(s)) {
			text, end := strings.CutSuffix(line, "\n")
			b.WriteString(f(text))
			if end {
				b.WriteByte('\n')
			}
		}
		return decoded(b.String())
	})
}

func reverse(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// translate is tr: characters for characters, or deletes them.
func translate(c *call, a arguments, v value) value {
	if len(a.operands) == 0 || hasHole(a.operands[0]) || a.flag("-c", "-C", "--complement") {
		return value{worstOf(v)}
	}
	from, to := charset(plain(a.operands[0])), []rune(nil)
	if len(a.operands) > 1 && !hasHole(a.operands[1]) {
		to = charset(plain(a.operands[1]))
	}
	drop := a.flag("-d", "--delete")
	if !drop && len(to) == 0 {
		return v // squeezes
	}
	return v.each(func(s string) string {
		c.step(1 + len(s)/16)
		p := plain(s)
		out := strings.Map(func(r rune) rune {
			i := slices.Index(from, r)
			switch {
			case i < 0:
				return r
			case drop:
				return -1
			}
			return to[min(i, len(to)-1)]
		}, p)
		if out == p || strings.Trim(string(from), " \n\t\r,;:") == "" {
			return keepMark(s, out) // separators: nothing is hidden by them
		}
		return decoded(out)
	})
}

// charset is tr's: characters, ranges and the common classes.
func charset(s string) []rune {
	s = strings.NewReplacer("[:lower:]", "a-z", "[:upper:]", "A-Z", "[:digit:]", "0-9", "[:alpha:]", "A-Za-z", "[:space:]", " \t\n\r\v\f").Replace(s)
	r := []rune(plain(decodeANSI(s)))
	var out []rune
	for i := 0; i < len(r) && len(out) < 1024; i++ {
		if i+2 < len(r) && r[i+1] == '-' && r[i+2] >= r[i] && r[i+2]-r[i] < 256 {
			for x := r[i]; x <= r[i+2]; x++ {
				out = append(out, x)
			}
			i += 2
			continue
		}
		out = append(out, r[i])
	}
	return out
}

// cutFields is cut with a range of characters or one field.
func cutFields(c *call, a arguments, v value) value {
	list, byCharacter := a.value("-c", "--characters", "-b", "--bytes")
	if !byCharacter {
		list, _ = a.value("-f", "--fields")
	}
	delimiter, ok := a.value("-d", "--delimiter")
	if !ok {
		delimiter = "\t"
	}
	from, to, dash := strings.Cut(plain(list), "-")
	low, err := strconv.Atoi(from)
	high := low
	if dash {
		var errHigh error
		if high, errHigh = strconv.Atoi(to); to == "" {
			high, errHigh = 1<<20, nil
		}
		if from == "" {
			low, err = 1, nil
		}
		if errHigh != nil {
			err = errHigh
		}
	}
	if err != nil || low < 1 || hasHole(list+delimiter) || plain(delimiter) == "" {
		return value{worstOf(v)}
	}
	return c.lines(v, func(s string) string {
		if byCharacter {
			r := []rune(s)
			return string(r[min(low-1, len(r)):max(min(low-1, len(r)), min(high, len(r)))])
		}
		parts := strings.Split(s, plain(delimiter))
		return strings.Join(parts[min(low-1, len(parts)):max(min(low-1, len(parts)), min(high, len(parts)))], plain(delimiter))
	})
}
