package native

import (
	"encoding/binary"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"palisade/internal/events"
	"palisade/internal/sandbox"
)

// guest is a thread of a box that waits for the answer to a system call. What is
// read of it is for the record: another thread of the program may change memory
// and files meanwhile, so that nothing is let through because of it.
type guest struct {
	tid  int
	root int // the box's root folder
}

// read reads the thread's memory, and returns how much of it could be.
func (g guest) read(at uint64, b []byte) int {
	if len(b) == 0 || at == 0 {
		return 0
	}
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(len(b))
	n, err := unix.ProcessVMReadv(g.tid, []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(at), Len: len(b)}}, 0)
	if err != nil {
		return 0
	}
	return n
}

// text reads a string that ends with a zero, or its first bytes. ok is false where
// nothing of it could be read.
func (g guest) text(at uint64, most int) (s string, ok bool) {
	var whole []byte
	page := uint64(os.Getpagesize())
	for len(whole) < most {
		// The next page may not be there.
		b := make([]byte, min(most-len(whole), int(page-at%page)))
		n := g.read(at, b)
		if n == 0 {
			return string(whole), len(whole) > 0
		}
		text, _, end := strings.Cut(string(b[:n]), "\x00")
		whole = append(whole, text...)
		if end {
			break
		}
		at += uint64(n)
	}
	return string(whole), true
}

// words reads n numbers of 8 bytes.
func (g guest) words(at uint64, n int) []uint64 {
	b := make([]byte, 8*n)
	if g.read(at, b) != len(b) {
		return nil
	}
	all := make([]uint64, n)
	for i := range all {
		all[i] = binary.NativeEndian.Uint64(b[8*i:])
	}
	return all
}

// unreadable and nameless stand for a name that could not be read, or is empty.
const unreadable, nameless = "(unreadable)", "(none)"

// path reads the path that a call names, made absolute. dir is a descriptor.
func (g guest) path(dir int32, at uint64) string {
	name, ok := g.text(at, unix.PathMax)
	switch {
	case !ok:
		return unreadable
	case name == "":
		return nameless
	case path.IsAbs(name):
		return path.Clean(name)
	}
	of := "cwd"
	if dir != unix.AT_FDCWD {
		of = "fd/" + strconv.Itoa(int(dir))
	}
	base, err := os.Readlink(g.proc(of))
	if err != nil || !path.IsAbs(base) {
		return name
	}
	return path.Join(base, name)
}

func (g guest) proc(name string) string { return "/proc/" + strconv.Itoa(g.tid) + "/" + name }

// found is what is at a path of the box.
type found struct {
	name string // the kernel's own, where there is something
	// fails says why nothing is found there: an error's name. Empty: there is
	// something, or it cannot be known.
	fails string
}

// find looks for what is at a path, as the program would find it.
func (g guest) find(name string, follow bool) found {
	if name == nameless {
		return found{name, "ENOENT"}
	}
	if !path.IsAbs(name) {
		return found{name: name}
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT}
	if !follow {
		how.Flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Openat2(g.root, name, &how)
	switch errno, _ := err.(unix.Errno); errno { //nolint:errorlint // unix returns it as it is
	case 0:
	case unix.ENOENT, unix.ENOTDIR, unix.ENAMETOOLONG:
		return found{name, unix.ErrnoName(errno)}
	default: // a link of /proc, or a folder that was moved meanwhile
		return found{name: name}
	}
	defer func() { _ = unix.Close(fd) }()
	if real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd)); err == nil && path.IsAbs(real) {
		name = real
	}
	return found{name: name}
}

// arguments are those of a command.
func (g guest) arguments(at uint64) string {
	const most = 16
	var b strings.Builder
	for i := range uint64(most) {
		word := g.words(at+8*i, 1)
		if word == nil || word[0] == 0 || b.Len() > events.MaxDetail {
			return b.String()
		}
		text, ok := g.text(word[0], events.MaxDetail+1)
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if ok {
			text = events.Word(text)
		}
		b.WriteString(text)
	}
	return b.String() + " …"
}

// address reads an address of a socket.
func (g guest) address(at uint64, size uint32) []byte {
	b := make([]byte, min(size, events.MaxAddress))
	return b[:g.read(at, b)]
}

// socket returns a copy of one of the thread's sockets, which is the caller's to
// close; -1 where there is none.
func (g guest) socket(fd int32) int {
	status, err := sandbox.StatusOf(g.tid)
	if err != nil {
		return -1
	}
	pid, err := strconv.Atoi(status["Tgid"])
	if err != nil {
		return -1
	}
	of, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1
	}
	defer func() { _ = unix.Close(of) }()
	got, err := unix.PidfdGetfd(of, int(fd), 0)
	if err != nil {
		return -1
	}
	return got
}

// local reports whether a descriptor is a socket of the box's own files, and
// none of a network. In doubt it is not.
func (g guest) local(fd int32) bool {
	s := g.socket(fd)
	if s < 0 {
		return false
	}
	defer func() { _ = unix.Close(s) }()
	domain, err := unix.GetsockoptInt(s, unix.SOL_SOCKET, unix.SO_DOMAIN)
	return err == nil && domain == unix.AF_UNIX
}

// listens names the address that a socket is bound to.
func (g guest) listens(fd int32) (name string, near bool) {
	const unbound = "(unbound)"
	s := g.socket(fd)
	if s < 0 {
		return unbound, false
	}
	defer func() { _ = unix.Close(s) }()
	addr, err := unix.Getsockname(s)
	if err != nil {
		return unbound, false
	}
	switch a := addr.(type) {
	case *unix.SockaddrUnix:
		return "unix:" + a.Name, true
	case *unix.SockaddrInet4:
		return hostPort(a.Addr[:], a.Port), false
	case *unix.SockaddrInet6:
		return hostPort(a.Addr[:], a.Port), false
	}
	return unbound, false
}
