package python

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// WriteJSON writes a tree as one JSON value without a newline. A node is an
// object with its class as "_type", its position as "_pos" ([line, column, end
// line, end column], where CPython has one) and its fields under CPython's
// names, None and empty lists left out. A constant is an object of its type as
// "_const" and its "value": an int in lower-case hexadecimal with sign, a float
// or a complex as its IEEE-754 bits in hexadecimal (16 digits; 32, real part
// first), bytes in base64, a str as it is, lone surrogates as \udXXX; null for
// None and the ellipsis.
func WriteJSON(w io.Writer, m *Module) error {
	j := &jsonWriter{w: bufio.NewWriter(w)}
	j.object(m)
	if err := j.w.Flush(); err != nil {
		return fmt.Errorf("write tree: %w", err)
	}
	return nil
}

// jsonWriter leaves errors to the bufio.Writer, which keeps the first.
type jsonWriter struct {
	w     *bufio.Writer
	comma bool // an item of the open list has been written
	buf   []byte
}

func (j *jsonWriter) object(n Node) {
	j.w.WriteString(`{"_type":"`)
	j.w.WriteString(n.TypeName())
	j.w.WriteByte('"')
	switch n.(type) {
	case *Module, *Comprehension, *Arguments, *WithItem, *MatchCase:
	default:
		p := n.Position()
		b := append(j.buf[:0], `,"_pos":[`...)
		b = append(strconv.AppendInt(b, int64(p.Line), 10), ',')
		b = append(strconv.AppendInt(b, int64(p.Col), 10), ',')
		b = append(strconv.AppendInt(b, int64(p.EndLine), 10), ',')
		b = append(strconv.AppendInt(b, int64(p.EndCol), 10), ']')
		j.w.Write(b)
		j.buf = b
	}
	fields(n, j)
	j.w.WriteByte('}')
}

func (j *jsonWriter) field(name string) {
	j.w.WriteString(`,"`)
	j.w.WriteString(name)
	j.w.WriteString(`":`)
}

func (j *jsonWriter) node(field string, n Node) {
	j.field(field)
	j.object(n)
}

func (j *jsonWriter) str(field, s string) {
	j.field(field)
	j.quote(s)
}

func (j *jsonWriter) num(field string, n int) {
	j.field(field)
	j.w.WriteString(strconv.Itoa(n))
}

func (j *jsonWriter) op(field, class string) {
	j.field(field)
	j.class(class)
}

func (j *jsonWriter) class(class string) {
	j.w.WriteString(`{"_type":"`)
	j.w.WriteString(class)
	j.w.WriteString(`"}`)
}

func (j *jsonWriter) ctx(field string, c ExprContext) { j.op(field, c.String()) }
func (j *jsonWriter) kind(field string)               { j.str(field, "u") }

func (j *jsonWriter) open(field string, _ int) bool {
	j.field(field)
	j.w.WriteByte('[')
	j.comma = false
	return true
}

func (j *jsonWriter) next() {
	if j.comma {
		j.w.WriteByte(',')
	}
}

func (j *jsonWriter) item(n Node) {
	j.next()
	if n == nil {
		j.w.WriteString("null")
	} else {
		j.object(n)
	}
	j.comma = true
}

func (j *jsonWriter) strItem(s string) {
	j.next()
	j.quote(s)
	j.comma = true
}

func (j *jsonWriter) opItem(class string) {
	j.next()
	j.class(class)
	j.comma = true
}

func (j *jsonWriter) close() { j.w.WriteByte(']') }

func (j *jsonWriter) value(field string, v Value) {
	j.field(field)
	fmt.Fprintf(j.w, `{"_const":"%s","value":`, v.Kind)
	switch v.Kind {
	case None, Ellipsis:
		j.w.WriteString("null")
	case Bool:
		j.w.WriteString(strconv.FormatBool(v.Int != 0))
	case Int:
		j.w.WriteByte('"')
		if v.Big != nil {
			j.w.WriteString(v.Big.Text(16))
		} else {
			j.w.WriteString(strconv.FormatInt(v.Int, 16))
		}
		j.w.WriteByte('"')
	case Float:
		fmt.Fprintf(j.w, `"%016x"`, math.Float64bits(v.Float))
	case Complex:
		fmt.Fprintf(j.w, `"%016x%016x"`, 0, math.Float64bits(v.Float))
	case Str:
		j.quote(v.Str)
	case Bytes:
		j.quote(base64.StdEncoding.EncodeToString([]byte(v.Str)))
	}
	j.w.WriteByte('}')
}

// quote writes a string whose lone surrogates are in their three-byte form.
func (j *jsonWriter) quote(s string) {
	const digits = "0123456789abcdef"
	j.w.WriteByte('"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			j.w.WriteByte('\\')
			j.w.WriteByte(c)
			i++
		case c < 0x20 || c == 0x7f:
			j.w.WriteString(`\u00`)
			j.w.WriteByte(digits[c>>4])
			j.w.WriteByte(digits[c&15])
			i++
		case c < utf8.RuneSelf:
			j.w.WriteByte(c)
			i++
		case c == 0xed && i+2 < len(s) && s[i+1] >= 0xa0:
			r := 0xd000 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f)
			fmt.Fprintf(j.w, `\u%04x`, r)
			i += 3
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			j.w.WriteString(s[i : i+n])
			i += n
		}
	}
	j.w.WriteByte('"')
}
