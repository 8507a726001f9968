package redact

import (
	"io"
	"io/fs"
	"sync"
)

// Writer returns a writer that passes on to w, as it comes, what Clean would
// return for all of it. At most MaxHeld bytes are held back, and only while they
// may be the beginning of a secret, of a control sequence or of a character;
// they are never given out early, since a pause is no proof that nothing
// follows. Close passes on what is held and does not close w.
//
// Write reports all of its bytes as written, or an error of w. After Close it
// fails. The writer may be used by several goroutines.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser {
	return &writer{w: w, text: stream{r: r}}
}

type writer struct {
	mu     sync.Mutex
	w      io.Writer
	clean  cleaner
	text   stream
	closed bool
	err    error
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, fs.ErrClosed
	}
	if w.err != nil {
		return 0, w.err
	}
	if err := w.pass(w.text.add(w.clean.add(p, false), more)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close implements io.Closer.
func (w *writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	if w.err != nil {
		return w.err
	}
	return w.pass(w.text.add(w.clean.add(nil, true), last))
}

func (w *writer) pass(s string) error {
	if s == "" {
		return nil
	}
	_, w.err = io.WriteString(w.w, s)
	return w.err
}
