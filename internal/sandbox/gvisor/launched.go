package gvisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
	control "gvisor.dev/gvisor/pkg/control/client"
	"gvisor.dev/gvisor/pkg/state/statefile"
	"gvisor.dev/gvisor/runsc/boot"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/container"
	gvisor "gvisor.dev/gvisor/runsc/sandbox"
	"gvisor.dev/gvisor/runsc/specutils"

	"palisade/internal/sandbox/packet"
)

// launched is one box in the launcher.
type launched struct {
	launcher *launcher
	id       string
	bundle   string
	template bool
	files    []*os.File

	release func()        // lets go of the box once it is dead
	started chan string   // the image to start from; empty: none
	saves   chan string   // the image to save to
	stopped chan struct{} // kill was called
	gone    chan struct{}

	mu     sync.Mutex
	pidfd  int // of the sentry; -1: none yet, or no more
	killed bool
}

func newLaunched(l *launcher, r request, files []*os.File) *launched {
	b := &launched{
		launcher: l, id: r.Box, bundle: r.Bundle, template: r.Template, files: files, pidfd: -1,
		started: make(chan string, 1), saves: make(chan string, 1), stopped: make(chan struct{}), gone: make(chan struct{}),
	}
	b.release = sync.OnceFunc(func() { close(b.gone) })
	return b
}

// start lets the box start, and save has a template saved. The second of either
// means nothing.
func (b *launched) start(image string) { once(b.started, image) }
func (b *launched) save(image string)  { once(b.saves, image) }

func once(order chan string, image string) {
	select {
	case order <- image:
	default:
	}
}

// tell reports to the host. When the host is gone nobody listens, and serve has
// seen it.
func (b *launched) tell(r report) {
	r.Box = b.id
	_ = b.launcher.channel.Send(r)
}

// live takes a box from its creation to its end.
func (b *launched) live() {
	c, conf, err := b.create()
	packet.CloseAll(b.files)
	if err != nil {
		b.tell(report{News: newsFailed, Error: err.Error()})
	} else {
		b.tell(report{News: newsCreated, Pid: c.SandboxPid()})
		b.run(c, conf)
	}
	<-b.gone
	b.launcher.mu.Lock()
	delete(b.launcher.boxes, b.id)
	b.launcher.mu.Unlock()
	b.mu.Lock()
	if b.pidfd >= 0 {
		_ = unix.Close(b.pidfd)
		b.pidfd = -1
	}
	b.mu.Unlock()
	b.tell(report{News: newsDestroyed})
}

func (b *launched) create() (*container.Container, *config.Config, error) {
	conf, err := b.launcher.config()
	if err != nil {
		return nil, nil, err
	}
	conf.PodInitConfig = filepath.Join(b.bundle, podFile)
	conf.PanicLog = filepath.Join(b.bundle, panicFile)
	spec, err := specutils.ReadSpec(b.bundle, conf)
	if err != nil {
		return nil, nil, fmt.Errorf("read the box's spec: %w", err)
	}
	pass := map[int]*os.File{}
	for i, f := range b.files {
		pass[guestFDs[i]] = f
	}
	c, err := container.New(conf, container.Args{
		ID: b.id, Spec: spec, BundleDir: b.bundle, Attached: true, PassFiles: pass,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("create the box: %w", err)
	}
	fd, err := unix.PidfdOpen(c.SandboxPid(), 0)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("watch the box: %w", err), c.Destroy())
	}
	b.mu.Lock()
	b.pidfd = fd
	late := b.killed
	b.mu.Unlock()
	if late {
		b.kill()
	}
	return c, conf, nil
}

// run waits for the order to start, starts, and reports the end.
func (b *launched) run(c *container.Container, conf *config.Config) {
	select {
	case image := <-b.started:
		if err := b.runStarted(c, conf, image); err != nil {
			b.tell(report{News: newsFailed, Error: err.Error()})
		}
	case <-b.stopped:
	}
	if err := c.Destroy(); err != nil {
		b.tell(report{News: newsFailed, Error: fmt.Sprintf("destroy the box: %v", err)})
	}
}

func (b *launched) runStarted(c *container.Container, conf *config.Config, image string) error {
	if image == "" {
		if err := c.Start(conf); err != nil {
			return fmt.Errorf("start the box: %w", err)
		}
	} else if err := c.Restore(conf, image, false, false); err != nil {
		return fmt.Errorf("restore the box: %w", err)
	}
	b.tell(report{News: newsStarted})
	if b.template {
		return b.runTemplate(c, conf)
	}
	status, err := b.waitFirst(c)
	if err != nil {
		if status, err = b.waitKernel(c); err != nil {
			return fmt.Errorf("wait for the box: %w", err)
		}
	}
	b.tell(report{News: newsExited, Status: uint32(status)})
	return nil
}

// waitFirst returns how the box's first process ended, as the box's kernel tells
// it. Container.Wait then waits for the kernel too, which takes its time to free
// what will be killed anyway.
func (b *launched) waitFirst(c *container.Container) (unix.WaitStatus, error) {
	conn, err := control.ConnectTo(c.Sandbox.ControlSocketPath)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	var status unix.WaitStatus
	err = conn.Call(boot.ContMgrWait, &b.id, &status)
	b.kill()
	return status, err
}

// waitKernel returns how a box ended whose kernel ended before it could tell, or while
// it did: its process is waited for, and it is not asked again. gVisor's sockets stay
// open over an exec, so that the kernel of a box that was made meanwhile may hold this
// one's: asking would come through, and nobody would ever answer.
func (b *launched) waitKernel(c *container.Container) (unix.WaitStatus, error) {
	path := c.Sandbox.ControlSocketPath
	c.Sandbox.ControlSocketPath = filepath.Join(b.bundle, "gone.sock")
	defer func() { c.Sandbox.ControlSocketPath = path }() // it is removed with the box
	return c.Wait()
}

// runTemplate waits for the order to save. The pages are not compressed: they
// are read again and again.
func (b *launched) runTemplate(c *container.Container, conf *config.Config) error {
	select {
	case image := <-b.saves:
		opts := gvisor.CheckpointOpts{Compression: statefile.CompressionLevelNone}
		if err := c.Checkpoint(conf, image, opts); err != nil {
			return fmt.Errorf("save the template: %w", err)
		}
		b.tell(report{News: newsSaved})
	case <-b.stopped:
	}
	return nil
}

// kill ends the sentry, and with it every process of the box.
func (b *launched) kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.killed {
		b.killed = true
		close(b.stopped)
	}
	if b.pidfd >= 0 {
		err := unix.PidfdSendSignal(b.pidfd, unix.SIGKILL, nil, 0)
		if err != nil && !errors.Is(err, unix.ESRCH) { // it may be dead already
			fmt.Fprintf(b.launcher.std[2], "kill %s: %v\n", b.id, err)
		}
	}
}
