package python

import "fmt"

// SyntaxError says why and where a source is refused. Lines count from 1 and
// columns are UTF-8 bytes from 0, as in Pos. The message is ours, in CPython's
// words where that is easy.
type SyntaxError struct {
	Msg                        string
	Line, Col, EndLine, EndCol int
}

// Error counts columns from 1, as editors do.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col+1, e.Msg)
}
