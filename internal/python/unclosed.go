package python

// open is a bracket that nothing has closed yet.
type open struct {
	at   token
	char byte
}

// unclosed returns the error of the bracket that is still open where a program
// ends, if that is why it does not parse. As CPython does, it puts the blame on the
// bracket where the parser gave up at the end of the program or on a later line than
// the bracket's: a program that is wrong before that is told so. The program is read
// once more, which costs nothing while programs parse.
func (p *parser) unclosed(src []byte, e *SyntaxError) (better *SyntaxError) {
	defer func() {
		if recover() != nil {
			better = nil // behind e the lexer was never: a fault of its own there is no reason to panic
		}
	}()
	lx := newLexer(src, p.minor, new([maxIndents]indent))
	var stack []open
	var t token
	seen, left := false, 0 // e was come to; tokens from there on
	for {
		lx.next(&t)
		seen = seen || int(t.line) > e.Line || int(t.line) == e.Line && int(t.col) >= e.Col
		switch t.kind {
		case tError:
			return nil
		case tLPar, tLSqb, tLBrace:
			stack = append(stack, open{t, lx.src[t.start]})
		case tRPar, tRSqb, tRBrace:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case tEOF:
			if len(stack) == 0 {
				return nil
			}
			last := stack[len(stack)-1]
			if left > 1 && e.Line <= int(last.at.line) {
				return nil
			}
			return &SyntaxError{
				Msg: "'" + string(last.char) + "' was never closed", Line: int(last.at.line), Col: int(last.at.col),
				EndLine: int(last.at.endLine), EndCol: int(last.at.endCol),
			}
		}
		if seen {
			left++
		}
	}
}
