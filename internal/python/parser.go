package python

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// The bounds that stand for zero in Options.
const (
	DefaultMaxBytes = 10 << 20
	DefaultMaxDepth = 3000 // the depth at which CPython 3.8 to 3.12 gives up
	DefaultMaxNodes = 1 << 20
)

// Options say how to parse. The zero Options are safe.
type Options struct {
	// Version is that of the interpreter which will run the program: what it
	// rejects is rejected.
	Version Version
	// MaxBytes bounds the source; MaxDepth the nesting of nodes, so that
	// whoever walks the tree may recurse; MaxNodes the memory (about 150 bytes
	// a node). Zero stands for the default.
	MaxBytes, MaxDepth, MaxNodes int
}

func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}

// Parse reads a normalized program, as Normalize returns it, and gives the tree
// that compile(src, name, "exec", dont_inherit=True) of the given version would
// give. It returns a *SyntaxError for a program which that version rejects, or
// which is not normalized, too long, too deep or too large; the same where it
// has a doubt. It never panics, and its time is linear in the length of src.
func Parse(src []byte, o Options) (m *Module, err error) {
	minor, err := o.Version.minor()
	if err != nil {
		return nil, err
	}
	if limit := orDefault(o.MaxBytes, DefaultMaxBytes); len(src) > limit {
		return nil, &SyntaxError{Msg: fmt.Sprintf("source is longer than %d bytes", limit), Line: 1, EndLine: 1}
	}
	for _, c := range []byte{0, '\r'} {
		if i := bytes.IndexByte(src, c); i >= 0 {
			return nil, errorAt(src, i, "source is not normalized: NUL or carriage return")
		}
	}
	if i := invalidUTF8(src); i >= 0 {
		return nil, errorAt(src, i, "source is not UTF-8")
	}
	p := parsers.Get().(*parser)
	p.start(src, minor, o)
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*SyntaxError)
			if !ok {
				// A fault of ours is no reason to let a program through, nor
				// to take the process down.
				e = &SyntaxError{Msg: fmt.Sprintf("internal error: %v", r), Line: int(p.tok.line), Col: int(p.tok.col)}
			} else if better := p.unclosed(src, e); better != nil {
				e = better
			}
			m, err = nil, e
		}
	}()
	p.advance()
	m = p.module()
	check(m, minor, p.maxDepth, p.track)
	p.done()
	return m, nil
}

func newLexer(src []byte, minor int, indents *[maxIndents]indent) lexer {
	var b strings.Builder
	b.Grow(len(src) + 2)
	b.Write(src)
	if len(src) > 0 && src[len(src)-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteByte(0)
	return lexer{src: b.String(), line: 1, minor: minor, atBOL: true, indents: indents}
}

// parser is a recursive-descent parser. It holds one token, and at times the
// one after it. Errors are panics with a *SyntaxError, which Parse recovers.
type parser struct {
	lx       lexer
	tok      token
	ahead    token
	hasAhead bool
	// endLine and endCol are where the last token that is not white space
	// ended; every node ends there.
	endLine, endCol int32

	minor           int
	depth, maxDepth int
	nodes, maxNodes int
	exprs           []Expr // a stack of lists under construction
	stmts           []Stmt
	shift           shifted
	track           bool // the program has global, nonlocal or an assignment expression
	nocond          bool // a lambda's body excludes conditions (3.8)
	slabs
}

// parsers keeps what parsers need, and the rest of their slabs, for the next
// program: most are small. One that failed is not kept.
var parsers = sync.Pool{New: func() any { return &parser{lx: lexer{indents: new([maxIndents]indent)}} }}

func (p *parser) start(src []byte, minor int, o Options) {
	*p = parser{
		lx:       newLexer(src, minor, p.lx.indents),
		minor:    minor,
		maxDepth: orDefault(o.MaxDepth, DefaultMaxDepth),
		maxNodes: orDefault(o.MaxNodes, DefaultMaxNodes),
		exprs:    p.exprs, stmts: p.stmts, slabs: p.slabs,
	}
}

// maxStackKept bounds the lists under construction that a parser keeps.
const maxStackKept = 256

// done hands the parser back. It keeps nothing of the program: what was on its
// stacks has been taken, and what its slabs have given is theirs no more.
func (p *parser) done() {
	if cap(p.exprs) > maxStackKept || cap(p.stmts) > maxStackKept {
		return
	}
	clear(p.exprs[:cap(p.exprs)])
	clear(p.stmts[:cap(p.stmts)])
	p.lx.src, p.lx.modes = "", nil
	parsers.Put(p)
}

// slab hands out values from chunks, which is cheaper than one by one. Programs
// share chunks, but never what was handed out.
type slab[T any] []T

// slabSize is how many values a chunk has.
const slabSize = 32

func get[T any](p *parser, s *slab[T]) *T {
	p.count(1)
	if len(*s) == 0 {
		*s = make([]T, slabSize)
	}
	x := &(*s)[0]
	*s = (*s)[1:]
	return x
}

// count counts nodes and elements of lists.
func (p *parser) count(n int) {
	p.nodes += n
	if p.nodes > p.maxNodes {
		p.fail("program has too many nodes")
	}
}

// slabs are those of the most frequent nodes.
type slabs struct {
	names      slab[Name]
	attributes slab[Attribute]
	calls      slab[Call]
	constants  slab[Constant]
	exprStmts  slab[ExprStmt]
	assigns    slab[Assign]
	binOps     slab[BinOp]
	boolOps    slab[BoolOp]
	unaryOps   slab[UnaryOp]
	compares   slab[Compare]
	subscripts slab[Subscript]
	slices     slab[Slice]
	tuples     slab[Tuple]
	lists      slab[List]
	dicts      slab[Dict]
	starreds   slab[Starred]
	lambdas    slab[Lambda]
	ifExps     slab[IfExp]
	keywords   slab[Keyword]
	args       slab[Arg]
	arguments  slab[Arguments]
	joined     slab[JoinedStr]
	formatted  slab[FormattedValue]
	returns    slab[Return]
	ifs        slab[If]
	functions  slab[FunctionDef]
	aliases    slab[Alias]
	exprLists  slab[Expr]
	stmtLists  slab[Stmt]
}

// takeExprs pops what was pushed on p.exprs since mark and returns it as a list
// of its own.
func (p *parser) takeExprs(mark int) []Expr {
	n := len(p.exprs) - mark
	if n == 0 {
		return nil
	}
	list := carve(p, &p.exprLists, p.exprs[mark:])
	clear(p.exprs[mark:])
	p.exprs = p.exprs[:mark]
	return list
}

func (p *parser) takeStmts(mark int) []Stmt {
	list := carve(p, &p.stmtLists, p.stmts[mark:])
	clear(p.stmts[mark:])
	p.stmts = p.stmts[:mark]
	return list
}

// carve copies list into space shared with other lists.
func carve[T any](p *parser, s *slab[T], list []T) []T {
	n := len(list)
	p.count(n)
	if len(*s) < n {
		if n >= slabSize {
			return append([]T(nil), list...)
		}
		*s = make([]T, 4*slabSize)
	}
	out := (*s)[:n:n]
	*s = (*s)[n:]
	copy(out, list)
	return out
}

// fail refuses the program at the current token.
func (p *parser) fail(msg string) {
	p.failAt(&p.tok, msg)
}

func (p *parser) failAt(t *token, msg string) {
	panic(&SyntaxError{
		Msg: msg, Line: int(t.line), Col: int(t.col),
		EndLine: int(max(t.endLine, t.line)), EndCol: int(t.endCol),
	})
}

// failNode refuses the program at a node.
func failNode(n Node, msg string) {
	at := n.Position()
	panic(&SyntaxError{Msg: msg, Line: at.Line, Col: at.Col, EndLine: at.EndLine, EndCol: at.EndCol})
}

// advance goes to the next token.
func (p *parser) advance() {
	if p.tok.kind > tDedent {
		p.endLine, p.endCol = p.tok.endLine, p.tok.endCol
	}
	if p.hasAhead {
		p.tok, p.hasAhead = p.ahead, false
	} else {
		p.lx.next(&p.tok)
		p.shift.move(&p.tok, p.lx.line)
	}
	if p.tok.kind == tError {
		panic(p.lx.err)
	}
}

// peek returns the kind of the token after the current one.
func (p *parser) peek() kind {
	if !p.hasAhead {
		p.lx.next(&p.ahead)
		p.shift.move(&p.ahead, p.lx.line)
		p.hasAhead = true
	}
	return p.ahead.kind
}

// accept passes a token of kind k, if it is there.
func (p *parser) accept(k kind) bool {
	if p.tok.kind == k {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(k kind, what string) {
	if p.tok.kind != k {
		p.unexpected("expected " + what)
	}
	p.advance()
}

// unexpected refuses the current token.
func (p *parser) unexpected(msg string) {
	switch p.tok.kind {
	case tIndent:
		msg = "unexpected indent"
	case tDedent:
		msg = "unexpected unindent"
	}
	p.fail(msg)
}

// enter counts one level of recursion; the caller defers nothing and calls
// leave, since an error ends the whole parse.
func (p *parser) enter() {
	p.depth++
	if p.depth > p.maxDepth {
		p.fail("program is nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

// need refuses a construct which the version does not have.
func (p *parser) need(minor int, what string) {
	if p.minor < minor {
		p.fail(fmt.Sprintf("%s needs Python 3.%d", what, minor))
	}
}

// from makes the position of a node from t to the last token.
func (p *parser) from(t *token) Pos {
	return Pos{int(t.line), int(t.col), int(p.endLine), int(p.endCol)}
}

// fromPos makes the position of a node from where at starts to the last token.
func (p *parser) fromPos(at Pos) Pos {
	return Pos{at.Line, at.Col, int(p.endLine), int(p.endCol)}
}

// text is the source of a token.
func (p *parser) text(t *token) string { return p.lx.src[t.start:t.end] }

// isName reports whether the current token is the soft keyword s.
func (p *parser) isName(s string) bool {
	return p.tok.kind == tName && p.text(&p.tok) == s
}

// name passes an identifier and returns it in NFKC.
func (p *parser) name() string {
	if p.tok.kind != tName {
		p.unexpected("invalid syntax")
	}
	s := p.identifier(&p.tok)
	p.advance()
	return s
}

func (p *parser) identifier(t *token) string {
	s := p.text(t)
	if t.nonASCII {
		return nfkc(s)
	}
	return s
}
