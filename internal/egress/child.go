package egress

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"palisade/internal/sandbox/packet"
)

// childName is the name under which this program runs itself as the proxy.
const childName = "palisade-egress"

// childFD is the proxy's end of the socket.
const childFD = 3

// Reexec must be the first call of main. It reports whether this process is the
// proxy rather than the program that the user started; then its work is done
// and main must return.
func Reexec() bool {
	if len(os.Args) != 1 || os.Args[0] != childName {
		return false
	}
	if err := childMain(); err != nil {
		fmt.Fprintln(os.Stderr, "palisade-egress:", err)
		os.Exit(1) //nolint:forbidigo // this process is the proxy and nothing else
	}
	return true
}

// childMain serves until the gate hangs up.
func childMain() error {
	// The gate may have died before this line: then the signal never comes, but
	// its socket is closed.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("parent death signal: %w", err)
	}
	conn, err := packet.Open(os.NewFile(childFD, "gate"))
	if err != nil {
		return err
	}
	gate := packet.NewConn(conn)
	outside.roots() // read while files can be
	if err := confine(); err != nil {
		return err
	}
	p := &process{gate: gate, world: outside, runs: map[int64]*session{}}
	if err := gate.Send(notice{Ready: true}); err != nil {
		return err
	}
	return p.serve()
}

// process is the proxy's process: all runs of one gate.
type process struct {
	gate  *packet.Conn
	world world

	mu   sync.Mutex
	runs map[int64]*session
}

func (p *process) serve() error {
	for {
		var o order
		fds, err := p.gate.Receive(&o)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case o.Open != nil:
			for _, fd := range fds {
				_ = unix.SetNonblock(fd, true) // so that closing it wakes who reads
			}
			p.open(o, packet.Files(fds))
		case o.Close:
			packet.CloseFDs(fds)
			p.mu.Lock()
			s := p.runs[o.ID]
			p.mu.Unlock()
			if s == nil {
				p.tell(notice{ID: o.ID, Closed: &closed{}})
				continue
			}
			s.close()
		default:
			packet.CloseFDs(fds)
		}
	}
}

// tell sends a notice. Where the gate is gone, serve sees it.
func (p *process) tell(n notice) { _ = p.gate.Send(n) }

func (p *process) open(o order, files []*os.File) {
	fail := func(err error) {
		packet.CloseAll(files)
		p.tell(notice{ID: o.ID, Opened: &opened{Error: err.Error()}})
	}
	if len(files) != 2 {
		fail(fmt.Errorf("%d pipes came, not two", len(files)))
		return
	}
	s, err := newSession(*o.Open, p.world, files[0], files[1], func(e event) { p.tell(notice{ID: o.ID, Event: &e}) })
	if err != nil {
		fail(err)
		return
	}
	p.mu.Lock()
	p.runs[o.ID] = s
	p.mu.Unlock()
	ok := &opened{}
	if s.ca != nil {
		ok.Certificate = s.ca.pem
	}
	p.tell(notice{ID: o.ID, Opened: ok})
	go func() {
		err := s.run()
		p.mu.Lock()
		delete(p.runs, o.ID)
		p.mu.Unlock()
		end := &closed{More: max(s.attempts.Load()-maxAttempts, 0)}
		if err != nil && errors.Is(err, errFrame) {
			end.Broken = err.Error()
		}
		p.tell(notice{ID: o.ID, Closed: end})
	}()
}
