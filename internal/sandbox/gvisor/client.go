package gvisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"palisade/internal/sandbox/packet"
)

// errLauncher says that the launcher is gone, and all boxes with it.
var errLauncher = errors.New("the launcher of boxes ended")

const (
	// launcherPatience is how long the launcher may take to come up.
	launcherPatience = 20 * time.Second
	// destroyPatience is how long a box may take to end. It is a sign of a
	// broken host if it is reached: the launcher is then ended, and with it
	// every box.
	destroyPatience = 20 * time.Second
)

// client is the host's side of one launcher.
type client struct {
	cmd     *exec.Cmd
	channel *packet.Conn
	ended   chan struct{} // closed when the launcher is gone

	mu    sync.Mutex
	boxes map[string]chan report
}

// startLauncher runs this program again as a launcher, which keeps gVisor's
// files in root. Its complaints go to log.
func startLauncher(ctx context.Context, root string, flags []string, log io.Writer) (*client, error) {
	ours, theirs, err := packet.Pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command(selfExe)
	cmd.Args = append([]string{launcherName, root}, flags...)
	cmd.Env = []string{"PATH=/usr/bin:/bin"} // nothing of ours
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stderr = log
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}
	ch := packet.NewConn(ours)
	c := &client{cmd: cmd, channel: ch, ended: make(chan struct{}), boxes: map[string]chan report{}}
	started, ready := make(chan error, 1), make(chan error, 1)
	go c.live(started)
	if err := <-started; err != nil {
		_ = ch.Close()
		return nil, fmt.Errorf("start the launcher: %w", err)
	}
	go c.listen(ready)
	timer := time.NewTimer(launcherPatience)
	defer timer.Stop()
	select {
	case err = <-ready:
	case <-timer.C:
		err = errors.New("it did not come up")
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		c.close()
		return nil, fmt.Errorf("start the launcher: %w", err)
	}
	return c, nil
}

// live starts the launcher and waits for its end. The kernel's death signal is
// bound to the thread that started a process, so that this one stays.
func (c *client) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err == nil {
		_ = c.cmd.Wait()
	}
	close(c.ended)
	_ = c.channel.Close()
}

// listen hands the launcher's reports to their boxes.
func (c *client) listen(ready chan<- error) {
	for {
		var r report
		fds, err := c.channel.Receive(&r)
		packet.CloseFDs(fds)
		if err != nil {
			select {
			case ready <- errLauncher:
			default:
			}
			c.close()
			return
		}
		if r.News == newsReady {
			select {
			case ready <- nil:
			default:
			}
			continue
		}
		c.mu.Lock()
		box := c.boxes[r.Box]
		c.mu.Unlock()
		select {
		case box <- r:
		default: // a box that nobody listens to any more
		}
	}
}

func (c *client) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// close ends the launcher, and with it every box. The launcher ends by itself
// when its socket closes; it is killed if it does not.
func (c *client) close() {
	_ = c.channel.Close()
	if c.cmd.Process == nil {
		return
	}
	select {
	case <-c.ended:
		return
	case <-time.After(5 * time.Second):
	}
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// remote is one box at the launcher.
type remote struct {
	*client
	id      string
	reports chan report
}

// create makes a box that is not started, and returns its sentry's process. On
// an error nothing is left.
func (c *client) create(ctx context.Context, asked request, files []*os.File) (*remote, int, error) {
	r := &remote{client: c, id: asked.Box, reports: make(chan report, 8)}
	c.mu.Lock()
	c.boxes[r.id] = r.reports
	c.mu.Unlock()
	asked.Verb = verbCreate
	if err := c.channel.Send(asked, files...); err != nil {
		r.forget()
		return nil, 0, fmt.Errorf("%w: %w", errLauncher, err)
	}
	created, err := r.await(ctx, newsCreated)
	if err != nil {
		return nil, 0, errors.Join(err, r.destroy())
	}
	return r, created.Pid, nil
}

// await waits for a report. A failure that the launcher reports is an error.
func (r *remote) await(ctx context.Context, want news) (report, error) {
	for {
		select {
		case got := <-r.reports:
			switch got.News {
			case want:
				return got, nil
			case newsFailed:
				return got, errors.New(got.Error)
			}
		case <-r.ended:
			return report{}, errLauncher
		case <-ctx.Done():
			return report{}, context.Cause(ctx)
		}
	}
}

// start starts the box's first process, or restores the box from an image.
func (r *remote) start(ctx context.Context, image string) error {
	return r.order(ctx, request{Verb: verbStart, Box: r.id, Image: image}, newsStarted)
}

// save checkpoints a template into a directory. The template ends with that.
func (r *remote) save(ctx context.Context, image string) error {
	return r.order(ctx, request{Verb: verbSave, Box: r.id, Image: image}, newsSaved)
}

func (r *remote) order(ctx context.Context, what request, done news) error {
	if err := r.channel.Send(what); err != nil {
		return fmt.Errorf("%w: %w", errLauncher, err)
	}
	_, err := r.await(ctx, done)
	return err
}

// kill ends the box without waiting. If the launcher cannot be told, it is
// ended, which ends the box too.
func (r *remote) kill() {
	if r.channel.Send(request{Verb: verbKill, Box: r.id}) != nil {
		r.client.close()
	}
}

// destroy ends the box and returns when nothing of it is left.
func (r *remote) destroy() error {
	defer r.forget()
	if err := r.channel.Send(request{Verb: verbDestroy, Box: r.id}); err != nil {
		r.client.close()
		return nil // with the launcher, the box is gone
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), destroyPatience, errors.New("the box does not end"))
	defer cancel()
	var errs []error
	for {
		_, err := r.await(ctx, newsDestroyed)
		switch {
		case err == nil:
			return errors.Join(errs...)
		case errors.Is(err, errLauncher):
			return errors.Join(errs...)
		case ctx.Err() != nil:
			r.client.close()
			return errors.Join(append(errs, err)...)
		}
		errs = append(errs, err)
	}
}

func (r *remote) forget() {
	r.mu.Lock()
	delete(r.boxes, r.id)
	r.mu.Unlock()
}
