package gvisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/flag"

	"palisade/internal/sandbox/packet"
)

// The launcher is this program, run again as a child. All that gVisor does on
// the host's side happens in it: it swaps its standard streams, raises its own
// limits, reaps children and, rootless, lives in a user namespace, none of
// which the program that holds the keys and the log should do.

// launcherFD is the launcher's end of the socket.
const launcherFD = 3

// highFD keeps the launcher's descriptor table large, so that a sentry, which
// moves its standard streams to 256, need not grow its copy: growing waits for
// all of the kernel's readers, some 10 ms.
const highFD = 1000

// rootFD is where the launcher keeps gVisor's state directory open.
const rootFD = highFD - 1

func openNear(dir string) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Dup3(fd, rootFD, unix.O_CLOEXEC)
	}
	if err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	return unix.Close(fd)
}

// launcherMain is the launcher's whole life. It ends when the host does.
func launcherMain() int {
	root := ""
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	l, err := newLauncher(root, os.Args[min(2, len(os.Args)):])
	if err != nil {
		fmt.Fprintln(os.Stderr, "launcher:", err)
		return 1
	}
	err = l.serve()
	l.endAll()
	if !errors.Is(err, io.EOF) {
		fmt.Fprintln(l.std[2], "launcher:", err)
		return 1
	}
	return 0
}

type launcher struct {
	std     [3]*os.File // the process's own standard streams
	root    string
	flags   []string // name, value, …
	channel *packet.Conn

	mu    sync.Mutex
	boxes map[string]*launched
	wait  sync.WaitGroup
}

func newLauncher(root string, flags []string) (*launcher, error) {
	if root == "" || len(flags)%2 != 0 {
		return nil, errors.New("this name is for Palisade's own use")
	}
	// The host may have died before this line: then the signal never comes.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return nil, fmt.Errorf("parent death signal: %w", err)
	}
	if err := silenceMembarrier(); err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup3(int(null.Fd()), highFD, unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("descriptor %d: %w", highFD, err)
	}
	// gVisor hands these to every guest; the box's own pipes replace them
	// there. What they were is kept: a file that nobody refers to is closed,
	// and its number, 0, 1 or 2, would be something else's.
	std := [3]*os.File{os.Stdin, os.Stdout, os.Stderr}
	os.Stdin, os.Stdout, os.Stderr = null, null, null
	log.SetTarget(log.GoogleEmitter{Writer: &log.Writer{Next: io.Discard}})
	registerGuard(&guard{}) // only opens meters here
	conn, err := packet.Open(os.NewFile(launcherFD, "host"))
	if err != nil {
		return nil, err
	}
	ch := packet.NewConn(conn)
	// gVisor opens its state directory once more, and for a moment without
	// close-on-exec, where the path of a socket in it is too long; a sentry that
	// is started in that moment inherits it and, rightly, refuses to run. By
	// this name the directory is near, wherever it is.
	if err := openNear(root); err != nil {
		return nil, err
	}
	root = filepath.Join("/proc/self/fd", strconv.Itoa(rootFD))
	l := &launcher{std: std, root: root, flags: flags, channel: ch, boxes: map[string]*launched{}}
	return l, ch.Send(report{News: newsReady})
}

// config returns gVisor's configuration for one box: it is not shared, since
// reading a spec may change it.
func (l *launcher) config() (*config.Config, error) {
	fs := flag.NewFlagSet("launcher", flag.ContinueOnError)
	config.RegisterFlags(fs)
	all := append([]string{
		"root", l.root,
		"network", "none",
		"platform", "systrap",
		"overlay2", "none",
		"directfs", "false",
		"ignore-cgroups", "true", // the host puts the box's processes there itself
		"host-settings", "ignore",
		"host-uds", "none",
		"host-fifo", "none",
	}, l.flags...)
	for i := 0; i+1 < len(all); i += 2 {
		if err := fs.Set(all[i], all[i+1]); err != nil {
			return nil, fmt.Errorf("gVisor's %s: %w", all[i], err)
		}
	}
	return config.NewFromFlags(fs)
}

// serve answers the host until its end of the socket closes.
func (l *launcher) serve() error {
	for {
		var r request
		fds, err := l.channel.Receive(&r)
		if err != nil {
			return err
		}
		if err := l.take(r, packet.Files(fds)); err != nil {
			if err := l.channel.Send(report{News: newsFailed, Box: r.Box, Error: err.Error()}); err != nil {
				return err
			}
		}
	}
}

func (l *launcher) take(r request, files []*os.File) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.boxes[r.Box]
	if r.Verb == verbCreate {
		if b != nil || len(files) != plainFDs && len(files) != len(guestFDs) {
			packet.CloseAll(files)
			return fmt.Errorf("create %q with %d descriptors", r.Box, len(files))
		}
		b = newLaunched(l, r, files)
		l.boxes[r.Box] = b
		l.wait.Go(b.live)
		return nil
	}
	packet.CloseAll(files)
	switch {
	case b == nil && r.Verb == verbKill: // it is gone already
	case b == nil:
		return fmt.Errorf("%s: no box %q", r.Verb, r.Box)
	case r.Verb == verbStart:
		b.start(r.Image)
	case r.Verb == verbSave:
		b.save(r.Image)
	case r.Verb == verbKill:
		b.kill()
	case r.Verb == verbDestroy:
		b.kill()
		b.release()
	}
	return nil
}

// endAll kills what is left when the host is gone, and waits for it.
func (l *launcher) endAll() {
	l.mu.Lock()
	for _, b := range l.boxes {
		b.kill()
		b.release()
	}
	l.mu.Unlock()
	l.wait.Wait()
}
