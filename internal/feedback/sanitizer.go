package feedback

import (
	"errors"
	"io"

	"palisade"
	"palisade/internal/redact"
)

// Bounds, in bytes, that hold where the verdict's limits set none below them.
const (
	maxOutput = 64 << 10 // output and stderr, each, where Limits.Kept is not set
	maxText   = 16 << 10 // the text of a feedback, of which the frames are most
	maxValue  = 1 << 20  // the entry function's value
	maxError  = 400      // one line of errors
	maxErrors = 20       // lines of errors
	maxStep   = 2000     // one next step, which may list modules
)

// Options are what a Sanitizer needs. All but Text are required.
type Options struct {
	// Redactor knows what must not be told.
	Redactor *redact.Redactor
	// Nonce returns a new string of letters and digits, at least 16 of them,
	// that no program can guess.
	Nonce func() string
	// Text is the path by which an interpreter inside a box knows the text of a
	// program that is not in Python. It is called by the program's name.
	Text string
}

// Sanitizer implements palisade.Sanitizer. It may be used by several
// goroutines.
type Sanitizer struct {
	redactor *redact.Redactor
	nonce    func() string
	inside   string // Options.Text
}

// New returns a Sanitizer.
func New(o Options) (*Sanitizer, error) {
	if o.Redactor == nil || o.Nonce == nil {
		return nil, errors.New("feedback: a redactor and a nonce are required")
	}
	return &Sanitizer{o.Redactor, o.Nonce, o.Text}, nil
}

// Writer implements palisade.Sanitizer.
func (s *Sanitizer) Writer(c palisade.Case, w io.Writer) io.WriteCloser {
	if w == nil {
		return discard{}
	}
	return s.linesOf(c).writer(s.of(c.Submission.Program).redactor.Writer(w))
}

// of returns a Sanitizer that calls a program by its name.
func (s *Sanitizer) of(p palisade.Program) *Sanitizer {
	if s.inside == "" || p.Language == palisade.Python {
		return s
	}
	named := *s
	named.redactor = s.redactor.With(redact.Path{Prefix: s.inside, As: mainFile(p)})
	return &named
}

// discard takes everything and keeps nothing.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

// Sanitize implements palisade.Sanitizer.
func (s *Sanitizer) Sanitize(c palisade.Case, v palisade.Verdict, r palisade.Result) palisade.Sanitized {
	limit := maxOutput
	if v.Limits.Kept > 0 {
		limit = int(min(v.Limits.Kept, maxOutput))
	}
	places := s.linesOf(c)
	r.Stdout, r.Stderr = places.captured(r.Stdout), places.captured(r.Stderr)
	s = s.of(c.Submission.Program)
	own := newOwn(c.Submission.Program)
	teller := teller{own: own, language: c.Submission.Program.Language, trust: v.TrustMessages, redactor: s.redactor}
	if r.Exception != nil {
		teller.message = s.redactor.Clean([]byte(r.Exception.Message))
	}

	var out palisade.Sanitized
	var cutOut, cutErr bool
	out.Output, cutOut = s.captured(r.Stdout, limit, nil)
	out.Stderr, cutErr = s.captured(r.Stderr, limit, teller.reducer())
	out.Truncated = cutOut || cutErr
	out.Errors = teller.failures(v, r)
	if r.Value != nil {
		value, err := s.value(r.Value)
		if err != nil {
			out.Errors = append(out.Errors, "value: left out: "+err.Error())
		}
		out.Value = value
	}
	out.Rich = s.rich(r.Rich, limit)
	out.Activity = s.activity(r.Activity)
	out.Feedback = palisade.Feedback{
		Type: r.Status,
		Text: s.text(r, out),
		Next: next(v, r, teller),
	}
	return out
}

// captured returns one output stream as text of at most limit bytes, and
// whether any of it was left out. edit, if any, is applied before it is cut.
func (s *Sanitizer) captured(c palisade.Captured, limit int, edit func(string) string) (string, bool) {
	if edit == nil {
		edit = func(text string) string { return text }
	}
	if !c.Truncated() {
		all := append(append([]byte(nil), c.Head...), c.Tail...)
		text, cut := s.bound(edit(s.redactor.Clean(all)), limit)
		if cut {
			text = edit(text) // a line that was cut may read differently
		}
		return text, cut
	}
	head, tail := s.redactor.CleanCut(c.Head, c.Tail)
	missing := c.Total - int64(len(c.Head)) - int64(len(c.Tail))
	return edit(s.join(edit(head), edit(tail), missing, limit)), true
}
