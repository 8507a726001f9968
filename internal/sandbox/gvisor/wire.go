package gvisor

import (
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

// The host and its launcher talk over a pair of sequenced-packet sockets: one
// JSON object a packet, descriptors beside it. Each side trusts the other to be
// this program; neither trusts it to be alive.

// verb is what the host asks for.
type verb string

const (
	verbCreate  verb = "create"  // make a box, not started; descriptors: see guestFDs
	verbStart   verb = "start"   // start its first process
	verbKill    verb = "kill"    // end it now
	verbDestroy verb = "destroy" // end it and free what it held; always answered
)

// request is what the host sends.
type request struct {
	Verb verb   `json:"verb"`
	Box  string `json:"box"`
	// Bundle is the directory with the box's config.json.
	Bundle string `json:"bundle,omitempty"`
}

// news is what the launcher tells of a box.
type news string

const (
	newsReady     news = "ready"     // the launcher itself is up
	newsCreated   news = "created"   // Pid is the sentry's
	newsStarted   news = "started"   // the first process runs
	newsExited    news = "exited"    // Status is the first process's wait status
	newsDestroyed news = "destroyed" // nothing of the box is left
	newsFailed    news = "failed"    // Error says what could not be done
)

// report is what the launcher sends.
type report struct {
	News   news   `json:"news"`
	Box    string `json:"box,omitempty"`
	Pid    int    `json:"pid,omitempty"`
	Status uint32 `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// guestFDs are the guest's numbers of the descriptors that come with
// verbCreate, in their order: output, errors, frames in, frames out.
var guestFDs = [...]int{1, 2, inFD, 4}

// inFD is the guest's descriptor on which frames come from the host.
const inFD = 3

const (
	maxPacket = 32 << 10
	maxFDs    = len(guestFDs)
)

// channel is one end of the pair of sockets.
type channel struct {
	conn *net.UnixConn
	mu   sync.Mutex // one writer at a time
}

// newChannel takes over one end of a pair of sockets.
func newChannel(f *os.File) (*channel, error) {
	defer f.Close() // FileConn works on a duplicate
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("launcher's socket: %w", err)
	}
	conn, ok := c.(*net.UnixConn)
	if !ok {
		_ = c.Close()
		return nil, errors.New("launcher's socket is not a Unix socket")
	}
	return &channel{conn: conn}, nil
}

// socketPair returns two connected ends.
func socketPair() (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "launcher"), os.NewFile(uintptr(fds[1]), "host"), nil
}

func (c *channel) send(v any, files ...*os.File) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(data) > maxPacket {
		return fmt.Errorf("packet of %d bytes", len(data))
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(sendPatience)); err != nil {
		return err
	}
	_, _, err = c.conn.WriteMsgUnix(data, rights, nil)
	return err
}

// sendPatience is how long the other side may leave a packet waiting: it reads
// without a pause, so that one which does not is stuck.
const sendPatience = 5 * time.Second

// receive reads one packet into v and returns the descriptors that came with
// it; they are the caller's to close.
func (c *channel) receive(v any) ([]*os.File, error) {
	buf := make([]byte, maxPacket)
	oob := make([]byte, unix.CmsgSpace(maxFDs*4))
	n, oobn, flags, _, err := c.conn.ReadMsgUnix(buf, oob)
	files := parseRights(oob[:max(oobn, 0)])
	switch {
	case err == nil && n == 0:
		err = io.EOF
	case err == nil && flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0:
		err = errors.New("packet was cut")
	case err == nil:
		err = json.Unmarshal(buf[:n], v)
	}
	if err != nil {
		closeAll(files)
		return nil, err
	}
	return files, nil
}

func parseRights(oob []byte) []*os.File {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	return files
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (c *channel) close() { _ = c.conn.Close() }
