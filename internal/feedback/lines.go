package feedback

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"palisade"
)

// lines turns the lines of the text that ran, which interpreters name, into
// those of the program that was sent.
type lines struct {
	// before stands before a line's number, and column tells that a column
	// follows it, which means nothing any more.
	before []byte
	column bool
	of     []int // palisade.Inspection.Lines
}

// linesOf returns nil where lines are what they were.
func (s *Sanitizer) linesOf(c palisade.Case) *lines {
	if len(c.Inspection.Lines) == 0 {
		return nil
	}
	switch p := c.Submission.Program; p.Language {
	case palisade.Shell:
		return &lines{before: []byte(s.inside + ": line "), of: c.Inspection.Lines}
	case palisade.JavaScript, palisade.TypeScript:
		return &lines{before: []byte("/work/" + mainFile(p) + ":"), column: true, of: c.Inspection.Lines}
	}
	return nil
}

// maxDigits bounds a line's number, and a column's.
const maxDigits = 9

// text returns b with other numbers.
func (l *lines) text(b []byte) []byte {
	if !bytes.Contains(b, l.before) {
		return b
	}
	var out []byte
	for {
		at := bytes.Index(b, l.before)
		if at < 0 {
			return append(out, b...)
		}
		out = append(out, b[:at+len(l.before)]...)
		b = b[at+len(l.before):]
		n := digits(b)
		line, err := strconv.Atoi(string(b[:n]))
		if err != nil || line < 1 || line > len(l.of) || l.of[line-1] < 1 {
			continue
		}
		out = strconv.AppendInt(out, int64(l.of[line-1]), 10)
		b = b[n:]
		if more := bytes.TrimPrefix(b, []byte(":")); l.column && len(more) < len(b) && digits(more) > 0 {
			b = more[digits(more):]
		}
	}
}

func digits(b []byte) int {
	n := 0
	for n < len(b) && n < maxDigits && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
}

// whole returns how much of b can be told without what follows it.
func (l *lines) whole(b []byte) int {
	for at := max(0, len(b)-len(l.before)-2*maxDigits-1); at < len(b); at++ {
		if l.unfinished(b[at:]) {
			return at
		}
	}
	return len(b)
}

// unfinished reports whether b may be the beginning of a place.
func (l *lines) unfinished(b []byte) bool {
	if len(b) <= len(l.before) {
		return bytes.HasPrefix(l.before, b)
	}
	rest, ok := bytes.CutPrefix(b, l.before)
	if !ok {
		return false
	}
	rest = rest[digits(rest):]
	if more, colon := bytes.CutPrefix(rest, []byte(":")); colon && l.column {
		rest = more[digits(more):]
	}
	return len(rest) == 0
}

// captured returns a stream with other numbers.
func (l *lines) captured(c palisade.Captured) palisade.Captured {
	if l == nil {
		return c
	}
	if !c.Truncated() {
		all := l.text(slices.Concat(c.Head, c.Tail))
		return palisade.Captured{Head: all, Total: int64(len(all))}
	}
	n := l.whole(c.Head)
	out := palisade.Captured{Head: append(slices.Clone(l.text(c.Head[:n])), c.Head[n:]...), Tail: l.text(c.Tail)}
	out.Total = c.Total + int64(len(out.Head)+len(out.Tail)-len(c.Head)-len(c.Tail))
	return out
}

// writer gives other numbers to what is written to w.
func (l *lines) writer(w io.WriteCloser) io.WriteCloser {
	if l == nil {
		return w
	}
	return &linesWriter{lines: l, w: w}
}

type linesWriter struct {
	*lines
	w    io.WriteCloser
	held []byte
}

func (w *linesWriter) Write(p []byte) (int, error) {
	all := append(w.held, p...)
	n := w.whole(all)
	_, err := w.w.Write(w.text(all[:n]))
	w.held = slices.Clone(all[n:])
	return len(p), err
}

func (w *linesWriter) Close() error {
	_, err := w.w.Write(w.text(w.held))
	w.held = nil
	if closed := w.w.Close(); err == nil {
		err = closed
	}
	return err
}
