package packet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// Max bounds a message, in bytes.
	Max = 128 << 10
	// MaxFiles bounds the descriptors beside a message.
	MaxFiles = 8
	// Patience is how long the other side may leave a message waiting: it reads
	// without a pause, so that one which does not is stuck.
	Patience = 5 * time.Second
)

// Pair returns two connected ends: ours, and a file for the process to be started.
func Pair() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "theirs")
	ours, err = Open(os.NewFile(uintptr(fds[0]), "ours"))
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return ours, theirs, nil
}

// Open takes over an end that this process was started with.
func Open(f *os.File) (*net.UnixConn, error) {
	defer f.Close() // FileConn works on a duplicate
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("packet socket: %w", err)
	}
	conn, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("packet socket: not a Unix socket"), c.Close())
	}
	return conn, nil
}

// Write sends a message and descriptors beside it, which become blocking: they are
// for a program that knows nothing of this one's ways.
func Write(c *net.UnixConn, data []byte, files []*os.File) error {
	if len(data) == 0 || len(data) > Max || len(files) > MaxFiles {
		return fmt.Errorf("message of %d bytes with %d descriptors; at most %d and %d", len(data), len(files), Max, MaxFiles)
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	if err := c.SetWriteDeadline(time.Now().Add(Patience)); err != nil {
		return err
	}
	_, _, err := c.WriteMsgUnix(data, rights, nil)
	return err
}

// Read returns the next message and the descriptors beside it, which are the
// caller's to close. The end of the other side is [io.EOF].
func Read(c *net.UnixConn) (data []byte, fds []int, err error) {
	kept := buffers.Get().(*[Max]byte) //nolint:forcetypeassert // nothing else is put there
	defer buffers.Put(kept)
	buf := kept[:]
	oob := make([]byte, unix.CmsgSpace(MaxFiles*4))
	n, oobn, flags, _, err := c.ReadMsgUnix(buf, oob)
	fds = rightsIn(oob[:max(oobn, 0)])
	switch {
	case err == nil && n == 0, errors.Is(err, syscall.ECONNRESET):
		err = io.EOF
	case err == nil && flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0:
		err = errors.New("message was cut")
	}
	if err != nil {
		CloseFDs(fds)
		return nil, nil, err
	}
	return bytes.Clone(buf[:n]), fds, nil
}

// buffers have room for any message; most are short.
var buffers = sync.Pool{New: func() any { return new([Max]byte) }}

// rightsIn returns the descriptors that control messages brought.
func rightsIn(oob []byte) (fds []int) {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		if got, err := syscall.ParseUnixRights(&m); err == nil {
			fds = append(fds, got...)
		}
	}
	return fds
}

// Conn is an end on which messages are JSON objects. It may be written by several
// goroutines, and is read by one.
type Conn struct {
	conn *net.UnixConn
	mu   sync.Mutex // one writer at a time: a deadline is the socket's
}

// NewConn returns an end on a socket of [Pair] or [Open].
func NewConn(c *net.UnixConn) *Conn { return &Conn{conn: c} }

// Send sends v, and descriptors as [Write] does.
func (c *Conn) Send(v any, files ...*os.File) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return Write(c.conn, data, files)
}

// Receive reads the next message into v, and returns the descriptors beside it,
// which are the caller's to close.
func (c *Conn) Receive(v any) (fds []int, err error) {
	data, fds, err := Read(c.conn)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		CloseFDs(fds)
		return nil, err
	}
	return fds, nil
}

// Close hangs up.
func (c *Conn) Close() error { return c.conn.Close() }

// Files returns descriptors as files, in the mode that they are in.
func Files(fds []int) []*os.File {
	files := make([]*os.File, len(fds))
	for i, fd := range fds {
		files[i] = os.NewFile(uintptr(fd), "passed")
	}
	return files
}

// CloseFDs closes descriptors; negative ones are none.
func CloseFDs(fds []int) {
	for _, fd := range fds {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// CloseAll closes files; nil ones are none.
func CloseAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
