package foreign

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"palisade/internal/analysis"
)

// ErrClosed says that a pool was closed.
var ErrClosed = errors.New("the pool of readers is closed")

// Config bounds a [Pool]. Zero fields take safe defaults.
type Config struct {
	// Children is how many run at once. Default: one for each processor, at
	// most 4.
	Children int
	// Wall bounds one reading, on the clock. Default 10 s.
	Wall time.Duration
	// Texts is how many texts one child reads before it is replaced. Default 500.
	Texts int
}

// Pool reads in child processes, which it starts when they are first needed.
// It is safe for concurrent use. It must be closed.
type Pool struct {
	config Config
	slots  chan struct{} // one for each child that may run

	mu     sync.Mutex
	idle   []*child
	closed bool
}

// NewPool returns a pool without children yet. Main must call [Reexec] first.
func NewPool(c Config) *Pool {
	if c.Children <= 0 {
		c.Children = min(4, runtime.GOMAXPROCS(0))
	}
	if c.Wall <= 0 {
		c.Wall = 10 * time.Second
	}
	if c.Texts <= 0 {
		c.Texts = 500
	}
	return &Pool{config: c, slots: make(chan struct{}, c.Children)}
}

// Read reads a text in a child. An *[analysis.SyntaxError] says that the text
// is not of its language; any other error, that it could not be read: the child
// died over it, took too long, or the context ended.
func (p *Pool) Read(ctx context.Context, t analysis.Text) (analysis.Reading, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return analysis.Reading{}, fmt.Errorf("wait for a reader: %w", context.Cause(ctx))
	}
	c, err := p.take()
	if err != nil {
		return analysis.Reading{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.config.Wall, fmt.Errorf("the reading took more than %s", p.config.Wall))
	defer cancel()
	reply, err := c.ask(ctx, t)
	if err != nil {
		return analysis.Reading{}, errors.Join(err, c.end())
	}
	p.give(c)
	return reply.reading()
}

// take returns a child that nobody else talks to.
func (p *Pool) take() (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, nil
	}
	return startChild(p.config.Wall)
}

// give takes a child back, or ends it when it has read enough.
func (p *Pool) give(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || c.texts >= p.config.Texts {
		_ = c.end() // it was well when it answered
		return
	}
	p.idle = append(p.idle, c)
}

// Close ends the children that are idle; one that is busy ends with its text.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		_ = c.end()
	}
	p.idle = nil
	return nil
}
