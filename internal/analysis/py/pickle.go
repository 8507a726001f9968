package py

import (
	"encoding/binary"
	"strconv"
	"strings"

	"palisade/internal/python"
)

// A pickle is a program: it names callables and calls them. One that stands in
// the program is read as such; one that the program itself made, and that went
// through nothing but encodings, holds only what was put in. Any other may be
// anybody's.

// pickled are the classes of what is dumped, by what loads it.
var pickled = map[symbol]symbol{
	"pickle.loads": "pickle.dumps", "pickle.load": "pickle.dumps", "pickle._loads": "pickle.dumps", "cPickle.loads": "cPickle.dumps",
	"marshal.loads": "marshal.dumps", "jsonpickle.decode": "jsonpickle.encode",
}

// isPickled reports whether an object is what a library dumped.
func isPickled(of object) bool {
	return of == symbol("pickle.dumps") || of == symbol("marshal.dumps") || of == symbol("jsonpickle.encode") || of == symbol("cPickle.dumps")
}

// keepsPickles are callables that give back what they are given in another
// encoding.
var keepsPickles = nameSet(`zlib.compress zlib.decompress gzip.compress gzip.decompress bz2.compress bz2.decompress
	lzma.compress lzma.decompress base64.b64encode base64.b64decode base64.standard_b64encode base64.standard_b64decode
	base64.urlsafe_b64encode base64.urlsafe_b64decode base64.b32encode base64.b32decode base64.b16encode base64.b16decode
	base64.a85encode base64.a85decode base64.b85encode base64.b85decode base64.encodebytes base64.decodebytes
	binascii.hexlify binascii.unhexlify binascii.b2a_hex binascii.a2b_hex binascii.b2a_base64 binascii.a2b_base64
	builtins.bytes builtins.bytearray builtins.memoryview builtins.str builtins.bytes.fromhex io.BytesIO codecs.encode codecs.decode`)

// carriesPickle returns the pickles among what a value may be, if they are all.
func carriesPickle(v val) (val, bool) {
	if v.open || v.size() == 0 {
		return val{}, false
	}
	for j := range v.size() {
		o := v.at(j)
		if i, ok := o.(*instance); !ok || !isPickled(i.of) {
			return val{}, false
		}
	}
	return v, true
}

// unpickle gives what a pickle holds that is loaded; it is strange unless it
// holds nothing that could be called.
func (in *interp) unpickle(n python.Node, loads symbol, v val) (out val, strange bool) {
	out = val{open: v.open || v.empty()}
	strange = out.open
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case cBytes:
			if !strings.Contains(string(loads), "ickle.load") && !strings.Contains(string(loads), "ickle._load") {
				out.open, strange = true, true
				continue
			}
			m := pickleMachine{in: in, n: n, code: string(o), memo: map[int]val{}}
			got, ok := m.run()
			out = join(out, got)
			strange = strange || !ok || m.names > 0
		case *instance:
			switch {
			case o.of == pickled[loads] && len(o.args) > 0:
				out = join(out, o.args[0])
			case o.of == symbol("io.BytesIO") && len(o.args) > 0:
				inner, odd := in.unpickle(n, loads, o.args[0])
				out, strange = join(out, inner), strange || odd
			default:
				out.open, strange = true, true
			}
		default:
			out.open, strange = true, true
		}
	}
	return out, strange
}

// pickleMachine runs a pickle as far as names and calls go. Source: the
// opcodes of CPython's pickletools.
type pickleMachine struct {
	in    *interp
	n     python.Node
	code  string
	stack []val
	marks []int
	memo  map[int]val
	names int // how many callables it names
}

// maxPickleSteps bounds the opcodes that are read.
const maxPickleSteps = 4096

// run returns what the pickle makes; false where it could not be read to its end.
func (m *pickleMachine) run() (val, bool) {
	for range maxPickleSteps {
		m.in.step()
		if m.code == "" {
			return unknown, false
		}
		op := m.code[0]
		m.code = m.code[1:]
		if op == '.' {
			return m.pop(), true
		}
		if !m.step(op) {
			return unknown, false
		}
	}
	return unknown, false
}

func (m *pickleMachine) step(op byte) bool {
	switch op {
	case 0x80: // PROTO
		return m.skip(1)
	case 0x95: // FRAME
		return m.skip(8)
	case '(':
		m.marks = append(m.marks, len(m.stack))
	case '0':
		m.pop()
	case '1':
		m.sinceMark()
	case '2':
		v := m.pop()
		m.push(v)
		m.push(v)
	case 'N':
		m.push(noneValue)
	case 0x88, 0x89:
		m.push(one(cBool(op == 0x88)))
	case ')', ']', '}', 0x8f:
		m.push(m.empty(op))
	case 't', 'l', 'd', 0x91:
		m.push(m.collection(op, m.sinceMark()))
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		m.push(one(newList(aTuple, m.popN(int(op-0x84))...)))
	case 'a', 's': // APPEND, SETITEM: into what is beneath
		m.into(m.popN(1 + btoi(op == 's')))
	case 'e', 'u', 0x90:
		m.into(m.sinceMark())
	default:
		return m.scalar(op) || m.memory(op) || m.call(op)
	}
	return true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *pickleMachine) empty(op byte) val {
	switch op {
	case ')':
		return one(newList(aTuple))
	case '}':
		return one(newDict())
	}
	return one(newList(aList))
}

func (m *pickleMachine) collection(op byte, parts []val) val {
	switch op {
	case 't':
		return one(newList(aTuple, parts...))
	case 'd':
		d := newDict()
		for i := 0; i+1 < len(parts); i += 2 {
			d.store(parts[i], parts[i+1], true)
		}
		return one(d)
	}
	return one(newList(aList, parts...))
}

// into puts parts into the list or dict that is on top.
func (m *pickleMachine) into(parts []val) {
	top := m.pop()
	for j := range top.size() {
		o := top.at(j)
		switch o := o.(type) {
		case *list:
			o.elems = append(o.elems[:len(o.elems):len(o.elems)], parts...)
		case *dict:
			for i := 0; i+1 < len(parts); i += 2 {
				o.store(parts[i], parts[i+1], true)
			}
		}
	}
	m.push(top)
}

// scalar reads a number or a text.
func (m *pickleMachine) scalar(op byte) bool {
	switch op {
	case 'I', 'L', 'F':
		line, ok := m.line()
		if i, err := strconv.ParseInt(strings.TrimSuffix(line, "L"), 10, 64); err == nil && op != 'F' {
			m.push(one(cInt(i)))
		} else {
			m.push(anyNumber)
		}
		return ok
	case 'K', 'M', 'J':
		raw, ok := m.take(map[byte]int{'K': 1, 'M': 2, 'J': 4}[op])
		m.push(one(cInt(int32(littleEndian(raw)))))
		return ok
	case 'G':
		m.push(anyNumber)
		return m.skip(8)
	case 0x8a, 0x8b:
		m.push(anyNumber)
		_, ok := m.counted(map[byte]int{0x8a: 1, 0x8b: 4}[op])
		return ok
	case 'S', 'V':
		line, ok := m.line()
		if op == 'S' && len(line) >= 2 {
			line = line[1 : len(line)-1]
		}
		m.push(text(line))
		return ok
	case 'X', 0x8c, 0x8d, 'T', 'U':
		s, ok := m.counted(map[byte]int{'X': 4, 0x8c: 1, 0x8d: 8, 'T': 4, 'U': 1}[op])
		m.push(text(s))
		return ok
	case 'B', 'C', 0x8e, 0x96:
		s, ok := m.counted(map[byte]int{'B': 4, 'C': 1, 0x8e: 8, 0x96: 8}[op])
		m.push(one(cBytes(s)))
		return ok
	}
	return false
}

// memory keeps and fetches values.
func (m *pickleMachine) memory(op byte) bool {
	var key int
	ok := true
	switch op {
	case 'p', 'g':
		var line string
		line, ok = m.line()
		n, err := strconv.Atoi(line)
		key, ok = n, ok && err == nil
	case 'q', 'h', 'r', 'j':
		raw, took := m.take(map[byte]int{'q': 1, 'h': 1, 'r': 4, 'j': 4}[op])
		key, ok = int(littleEndian(raw)), took
	case 0x94: // MEMOIZE
		key = len(m.memo)
	default:
		return false
	}
	switch op {
	case 'g', 'h', 'j':
		m.push(m.memo[key])
	default:
		v := m.pop()
		m.push(v)
		m.memo[key] = v
	}
	return ok
}

// call names callables and calls them.
func (m *pickleMachine) call(op byte) bool {
	switch op {
	case 'c', 'i':
		mod, ok1 := m.line()
		name, ok2 := m.line()
		if !ok1 || !ok2 {
			return false
		}
		f := m.global(mod, name)
		if op == 'i' {
			f = m.in.call(m.n, f, callArgs{pos: m.sinceMark()})
		}
		m.push(f)
	case 0x93: // STACK_GLOBAL
		parts := m.popN(2)
		mod, ok1 := first(parts[0]).(cStr)
		name, ok2 := first(parts[1]).(cStr)
		if !ok1 || !ok2 {
			return false
		}
		m.push(m.global(string(mod), string(name)))
	case 'R', 0x81:
		parts := m.popN(2)
		args, _ := m.in.elements(m.n, parts[1])
		m.push(m.in.call(m.n, parts[0], callArgs{pos: args}))
	case 'o':
		parts := m.sinceMark()
		if len(parts) == 0 {
			return false
		}
		m.push(m.in.call(m.n, parts[0], callArgs{pos: parts[1:]}))
	case 'b':
		m.pop()
	default:
		return false // persistent IDs, extensions, NEWOBJ_EX: not followed
	}
	return true
}

func (m *pickleMachine) global(mod, name string) val {
	m.names++
	v := m.in.importName(m.n, strings.ReplaceAll(mod, "__builtin__", "builtins"), "named by a pickle")
	for part := range strings.SplitSeq(name, ".") {
		v = m.in.attribute(m.n, v, part)
	}
	m.in.refer(m.n, v, true)
	return v
}

func (m *pickleMachine) push(v val) { m.stack = append(m.stack, v) }

func (m *pickleMachine) pop() val {
	if len(m.stack) == 0 {
		return unknown
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v
}

func (m *pickleMachine) popN(n int) []val {
	out := make([]val, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = m.pop()
	}
	return out
}

func (m *pickleMachine) sinceMark() []val {
	at := 0
	if len(m.marks) > 0 {
		at = min(m.marks[len(m.marks)-1], len(m.stack))
		m.marks = m.marks[:len(m.marks)-1]
	}
	out := append([]val(nil), m.stack[at:]...)
	m.stack = m.stack[:at]
	return out
}

func (m *pickleMachine) skip(n int) bool {
	_, ok := m.take(n)
	return ok
}

func (m *pickleMachine) take(n int) (string, bool) {
	if n < 0 || n > len(m.code) {
		m.code = ""
		return "", false
	}
	s := m.code[:n]
	m.code = m.code[n:]
	return s, true
}

// counted reads a length of so many bytes and that many bytes.
func (m *pickleMachine) counted(size int) (string, bool) {
	raw, ok := m.take(size)
	n := littleEndian(raw)
	if !ok || n > maxText {
		return "", false
	}
	return m.take(int(n))
}

func (m *pickleMachine) line() (string, bool) {
	s, rest, ok := strings.Cut(m.code, "\n")
	m.code = rest
	return strings.TrimSuffix(s, "\r"), ok
}

func littleEndian(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.LittleEndian.Uint64(b[:])
}
