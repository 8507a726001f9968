package egress

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"

	"palisade"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/packet"
)

// Config says what a proxy is made of. The zero value has no credentials.
type Config struct {
	// Secrets are the credentials that policy may name.
	Secrets []Secret
	// Logger gets what an operator should know. Nil: nothing is logged.
	Logger *slog.Logger
}

// Secret is a credential that stays outside of boxes.
type Secret struct {
	// Name is what policy calls it.
	Name string
	// Variable is the program's environment variable that holds its
	// placeholder. Empty: the name.
	Variable string
	// Host is the only peer that gets it: a host, with an optional port.
	Host string
	// File holds the value, and nothing but an end of line behind it. Nobody but
	// its owner may read it.
	File string
}

// Proxy is the way out of all boxes of a gate. It is safe for concurrent use.
// It implements [sandbox.Egress].
type Proxy struct {
	config Config
	log    *slog.Logger

	mu     sync.Mutex
	child  *child // nil: not running
	cut    bool
	closed bool
	last   int64
}

var _ sandbox.Egress = (*Proxy)(nil)

// ErrCut says that every way out was cut.
var ErrCut = errors.New("every way out is cut (palisade egress off)")

// New returns a proxy whose process is started when the first run has peers.
// Main must call [Reexec] first.
func New(c Config) *Proxy {
	p := &Proxy{config: c, log: c.Logger}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	return p
}

// Open implements [sandbox.Egress].
func (p *Proxy) Open(ctx context.Context, job palisade.Job, fromBox, toBox *os.File) (sandbox.Exit, error) {
	defer packet.CloseAll([]*os.File{fromBox, toBox}) // the child has its own
	held, variables, err := p.credentials(job.Egress)
	if err != nil {
		return nil, &sandbox.ExitError{Fix: "a credential of this profile's peers cannot be had: whoever runs this gate has to see to it", Err: err}
	}
	servers, err := nameServers()
	if err != nil {
		return nil, &sandbox.ExitError{Fix: "names cannot be resolved here: whoever runs this gate has to see to it", Err: err}
	}
	config := &runConfig{Run: job.Run, Peers: job.Egress, Secrets: held, Servers: servers}
	e, err := p.open(ctx, config, variables, fromBox, toBox)
	if errors.Is(err, errDead) { // it had ended before; the next is a fresh one
		e, err = p.open(ctx, config, variables, fromBox, toBox)
	}
	if errors.Is(err, ErrCut) {
		return nil, &sandbox.ExitError{Fix: "every way out is cut for now: programs that need none still run", Err: err}
	}
	if err != nil {
		return nil, &sandbox.ExitError{Fix: "the proxy could not be started; this may be tried again", Err: err}
	}
	return e, nil
}

func (p *Proxy) open(ctx context.Context, config *runConfig, variables [][2]string, files ...*os.File) (*exit, error) {
	c, id, err := p.running(ctx)
	if err != nil {
		return nil, err
	}
	e := newExit(c, id, variables)
	return e, c.open(ctx, e, config, files...)
}

// running returns the child, starting one if there is none, and a number for a
// run.
func (p *Proxy) running(ctx context.Context) (*child, int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, 0, errors.New("the proxy is closed")
	case p.cut:
		return nil, 0, ErrCut
	}
	if p.child == nil || !p.child.alive() {
		c, err := startChild(ctx, p.log)
		if err != nil {
			return nil, 0, err
		}
		p.child = c
	}
	p.last++
	return p.child, p.last, nil
}

// Cut ends every connection of every run at once, and opens no way out until
// [Proxy.Mend]. The runs go on without.
func (p *Proxy) Cut() {
	p.mu.Lock()
	c := p.child
	p.child, p.cut = nil, true
	p.mu.Unlock()
	if c != nil {
		c.kill()
	}
}

// Mend lets ways out be opened again.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}

// Close ends the proxy.
func (p *Proxy) Close() error {
	p.mu.Lock()
	c := p.child
	p.child, p.closed = nil, true
	p.mu.Unlock()
	if c != nil {
		c.kill()
	}
	return nil
}

// credentials are the secrets that a run's peers name, each with a placeholder
// of its own, and the variables that hold them.
func (p *Proxy) credentials(peers []palisade.Peer) (secrets, [][2]string, error) {
	var held secrets
	var variables [][2]string
	for _, one := range peers {
		for _, name := range one.Secrets {
			if slices.ContainsFunc(held, func(s secret) bool { return s.Name == name }) {
				continue
			}
			at := slices.IndexFunc(p.config.Secrets, func(s Secret) bool { return s.Name == name })
			if at < 0 {
				return nil, nil, fmt.Errorf("policy names the secret %s, which egress.secrets does not have", name)
			}
			its := p.config.Secrets[at]
			value, err := its.read()
			if err != nil {
				return nil, nil, err
			}
			placeholder := "palisade-" + random()
			held = append(held, secret{Name: name, Host: its.Host, Value: value, Placeholder: placeholder})
			variables = append(variables, [2]string{cmp.Or(its.Variable, name), placeholder})
		}
	}
	return held, variables, nil
}

// random is a text that nobody guesses.
func random() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails
	return hex.EncodeToString(raw[:])
}
