package egress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"palisade/internal/sandbox/packet"
)

const (
	// startPatience is how long the proxy's process may take to come up, and to
	// open a way out.
	startPatience = 10 * time.Second
	// closePatience is how long a run's end may take there.
	closePatience = endTime + time.Second
)

// errDead says that the proxy's process is gone.
var errDead = errors.New("the proxy's process ended")

// child is the gate's side of the proxy's process.
type child struct {
	cmd    *exec.Cmd
	socket *packet.Conn
	log    *slog.Logger
	ready  chan struct{}
	ended  chan struct{}

	mu    sync.Mutex
	exits map[int64]*exit
}

// startChild runs this program again as the proxy.
func startChild(ctx context.Context, log *slog.Logger) (*child, error) {
	conn, theirs, err := packet.Pair()
	if err != nil {
		return nil, fmt.Errorf("start the proxy: %w", err)
	}
	defer theirs.Close()
	s := packet.NewConn(conn)
	said := &complaints{}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{childName}
	cmd.Env = []string{"GOTRACEBACK=none"} // nothing of ours
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stderr = said
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}
	c := &child{cmd: cmd, socket: s, log: log, ready: make(chan struct{}), ended: make(chan struct{}), exits: map[int64]*exit{}}
	started := make(chan error, 1)
	go c.live(started, said)
	if err := <-started; err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("start the proxy: %w", err)
	}
	go c.listen()
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	select {
	case <-c.ready:
		return c, nil
	case <-c.ended:
		return nil, fmt.Errorf("start the proxy: it ended at once: %s", said)
	case <-ctx.Done():
		c.kill()
		return nil, fmt.Errorf("start the proxy: it did not come up: %w", context.Cause(ctx))
	}
}

// live starts the process and waits for its end. The kernel's death signal is
// bound to the thread that started a process, so that this one stays.
func (c *child) live(started chan<- error, said *complaints) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err == nil {
		_ = c.cmd.Wait()
		if text := said.String(); text != "" {
			c.log.Error("the proxy ended", slog.String("said", text))
		}
	}
	close(c.ended)
	_ = c.socket.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.exits {
		e.gone()
	}
	c.exits = map[int64]*exit{}
}

func (c *child) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// kill ends the process, and with it every connection.
func (c *child) kill() {
	if c.cmd.Process != nil {
		_ = c.cmd.Process.Kill() // it may have ended by itself
	}
	<-c.ended
}

// listen hands notices to their runs, until the process is gone.
func (c *child) listen() {
	for {
		var n notice
		fds, err := c.socket.Receive(&n)
		packet.CloseFDs(fds)
		if err != nil {
			_ = c.cmd.Process.Kill() // a proxy that is not understood is of no use
			return
		}
		if n.Ready {
			close(c.ready)
			continue
		}
		c.mu.Lock()
		e := c.exits[n.ID]
		c.mu.Unlock()
		if e != nil {
			e.hear(n)
		}
	}
}

// open opens a way out, and waits for the word that it is.
func (c *child) open(ctx context.Context, e *exit, config *runConfig, files ...*os.File) error {
	c.mu.Lock()
	c.exits[e.id] = e
	c.mu.Unlock()
	forget := func(err error) error {
		c.mu.Lock()
		delete(c.exits, e.id)
		c.mu.Unlock()
		return err
	}
	if err := c.socket.Send(order{ID: e.id, Open: config}, files...); err != nil {
		if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) || errors.Is(err, net.ErrClosed) {
			c.kill() // it is dead; that is waited for
			err = errDead
		}
		return forget(err)
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	select {
	case o := <-e.opened:
		if o.Error != "" {
			return forget(errors.New(o.Error))
		}
		e.certificate = o.Certificate
		return nil
	case <-c.ended:
		return forget(errDead)
	case <-ctx.Done():
		c.kill() // it may open it yet: with it goes every doubt
		return forget(context.Cause(ctx))
	}
}

// complaints keep the beginning of what the process writes as errors.
type complaints struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func (c *complaints) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if room := 4<<10 - c.kept.Len(); room > 0 {
		c.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// String is the first line.
func (c *complaints) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	line, _, _ := bytes.Cut(bytes.TrimSpace(c.kept.Bytes()), []byte("\n"))
	return string(line)
}
