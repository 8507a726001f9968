package python

import (
	"crypto/sha256"
	_ "embed" // for DigestSource
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"strconv"
)

// DigestSource is a Python module of one function, digest(tree), which returns
// in hexadecimal what Digest returns, made from the tree of the interpreter
// that runs it. It works in CPython 3.8 to 3.14, needs none of the modules
// written in Python, and does not recurse.
//
//go:embed digest.py
var DigestSource string

// digestPrefix stands before the canonical form and names its version.
const digestPrefix = "palisade python tree 1\n"

// Digest returns the SHA-256 of the canonical form of a tree, which the package
// comment describes.
func Digest(m *Module) [sha256.Size]byte {
	d := &digester{h: sha256.New(), buf: make([]byte, 0, 8192)}
	d.buf = append(d.buf, digestPrefix...)
	d.item(m)
	d.h.Write(d.buf)
	return [sha256.Size]byte(d.h.Sum(nil))
}

// HexDigest returns Digest in lower-case hexadecimal.
func HexDigest(m *Module) string {
	d := Digest(m)
	return hex.EncodeToString(d[:])
}

// digester hashes the canonical form while it walks the tree.
type digester struct {
	h   hash.Hash
	buf []byte
}

// counter counts the fields that a node has.
type counter struct{ n int }

func (c *counter) node(string, Node)       { c.n++ }
func (c *counter) str(string, string)      { c.n++ }
func (c *counter) num(string, int)         { c.n++ }
func (c *counter) op(string, string)       { c.n++ }
func (c *counter) ctx(string, ExprContext) {}
func (c *counter) kind(string)             {}
func (c *counter) open(string, int) bool   { c.n++; return false }
func (c *counter) item(Node)               {}
func (c *counter) strItem(string)          {}
func (c *counter) opItem(string)           {}
func (c *counter) close()                  {}
func (c *counter) value(_ string, v Value) {
	if v.Kind != None {
		c.n++
	}
}

// head writes a tag and a length.
func (d *digester) head(tag byte, n int) {
	if len(d.buf) > 6000 {
		d.h.Write(d.buf)
		d.buf = d.buf[:0]
	}
	d.buf = append(d.buf, tag)
	d.buf = append(strconv.AppendInt(d.buf, int64(n), 10), ':')
}

// name writes the name of a class or of a field.
func (d *digester) name(s string) {
	d.buf = append(strconv.AppendInt(d.buf, int64(len(s)), 10), ':')
	d.buf = append(d.buf, s...)
}

func (d *digester) text(tag byte, s string) {
	d.head(tag, len(s))
	if len(s) > 1000 {
		d.h.Write(d.buf)
		d.buf = d.buf[:0]
		d.h.Write([]byte(s))
		return
	}
	d.buf = append(d.buf, s...)
}

func (d *digester) item(n Node) {
	if n == nil {
		d.head('z', 0)
		return
	}
	var c counter
	fields(n, &c)
	d.head('n', c.n)
	d.name(n.TypeName())
	fields(n, d)
}

func (d *digester) node(field string, n Node) {
	d.name(field)
	d.item(n)
}

func (d *digester) str(field, s string) {
	d.name(field)
	d.text('s', s)
}

func (d *digester) num(field string, n int) {
	d.name(field)
	d.integer(int64(n))
}

func (d *digester) integer(n int64) {
	d.text('i', strconv.FormatInt(n, 16))
}

func (d *digester) op(field, class string) {
	d.name(field)
	d.opItem(class)
}

func (d *digester) ctx(string, ExprContext) {}
func (d *digester) kind(string)             {}

func (d *digester) open(field string, n int) bool {
	d.name(field)
	d.head('l', n)
	return true
}

func (d *digester) close()           {}
func (d *digester) strItem(s string) { d.text('s', s) }

func (d *digester) opItem(class string) {
	d.head('n', 0)
	d.name(class)
}

func (d *digester) value(field string, v Value) {
	if v.Kind == None {
		return
	}
	d.name(field)
	switch v.Kind {
	case Bool:
		d.head('t', 1)
		d.buf = append(d.buf, '0'+byte(v.Int))
	case Int:
		if v.Big != nil {
			d.text('i', v.Big.Text(16))
		} else {
			d.integer(v.Int)
		}
	case Float:
		d.head('f', 8)
		d.buf = binary.BigEndian.AppendUint64(d.buf, math.Float64bits(v.Float))
	case Complex:
		d.head('c', 16)
		d.buf = binary.BigEndian.AppendUint64(d.buf, 0)
		d.buf = binary.BigEndian.AppendUint64(d.buf, math.Float64bits(v.Float))
	case Str:
		d.text('s', v.Str)
	case Bytes:
		d.text('b', v.Str)
	case Ellipsis:
		d.head('e', 0)
	}
}
