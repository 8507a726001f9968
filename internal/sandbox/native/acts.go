package native

import (
	"net/netip"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"palisade/internal/events"
	"palisade/internal/sandbox"
)

// act is what a system call is about to do.
type act struct {
	kind         events.Kind
	what, detail string
	// fails says why it will not happen, where the host sees that.
	fails string
	// near says that a peer is no network peer, which never ends a run.
	near bool
	// errno answers the call in the kernel's place. 0: the kernel does.
	errno unix.Errno
	// counted says that it is counted and not listed.
	counted bool
}

// here stands for the argument that names a folder where there is none: paths
// begin in the working directory.
const here = -1

// describe says what a call would do: nothing that is told, one act, or several.
func (s *seen) describe(name string, n notification) []act {
	g := s.guest(n)
	one := func(a act) []act { return []act{a} }
	switch name {
	case "execve":
		return one(s.execution(g, unix.AT_FDCWD, n.args[0], n.args[1]))
	case "execveat":
		return one(s.execution(g, int32(n.args[0]), n.args[1], n.args[2]))
	case "fork", "vfork":
		return one(s.forking())
	case "clone":
		if n.args[0]&sandbox.CloneThread == 0 {
			return one(s.forking())
		}
	case "connect":
		return s.peer(g, int32(n.args[0]), g.address(n.args[1], uint32(n.args[2])))
	case "sendto":
		return s.peer(g, int32(n.args[0]), g.address(n.args[4], uint32(n.args[5])))
	case "sendmsg":
		return s.peer(g, int32(n.args[0]), messageTo(g, n.args[1]))
	case "sendmmsg":
		return s.messages(g, n)
	case "bind":
		return binding(g, n)
	case "listen":
		where, near := g.listens(int32(n.args[0]))
		return one(act{kind: events.Listen, what: where, near: near})
	case "open":
		return one(s.opening(g, g.path(unix.AT_FDCWD, n.args[0]), n.args[1]))
	case "creat":
		return one(s.opening(g, g.path(unix.AT_FDCWD, n.args[0]), unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC))
	case "openat":
		return one(s.opening(g, g.path(int32(n.args[0]), n.args[1]), n.args[2]))
	}
	return s.onFiles(g, name, n)
}

// execution is an execve.
func (s *seen) execution(g guest, dir int32, name, arguments uint64) act {
	a := act{kind: events.Exec, what: g.path(dir, name), detail: g.arguments(arguments)}
	a.fails = g.find(a.what, true).fails
	return a
}

// forking is a process that is about to be started.
func (s *seen) forking() act {
	a := act{kind: events.Fork}
	if s.run.tasksLeft() <= 0 {
		a.fails = "EAGAIN"
	}
	return a
}

// peer is a connection, or a message, to an address. The box has no network, so
// that the host may answer as its kernel would.
func (s *seen) peer(g guest, fd int32, address []byte) []act {
	name, near, ok := events.Address(address)
	if !ok {
		return nil
	}
	a := act{kind: events.Connect, what: name, near: near}
	file, isFile := strings.CutPrefix(name, "unix:")
	switch {
	case isFile && file != "" && file[0] != '@':
		a.fails = g.find(g.absolute(file), true).fails
	case isFile:
	case !loopback(name):
		a.fails, a.errno = "ENETUNREACH", unix.ENETUNREACH
	}
	// An address is memory, which may be another one when the kernel reads it. What
	// kind of socket it is for is not.
	a.near = near && (!s.acts.Aborts(events.Connect) || g.local(fd))
	return []act{a}
}

// loopback reports whether an address is one that the box itself has.
func loopback(name string) bool {
	addr, err := netip.ParseAddrPort(name)
	if err != nil {
		return true // of another kind: the kernel knows
	}
	at := addr.Addr().Unmap()
	return at.IsLoopback() || at.IsUnspecified()
}

func hostPort(ip []byte, port int) string {
	addr, _ := netip.AddrFromSlice(ip)
	return netip.AddrPortFrom(addr, uint16(port)).String()
}

// messageTo is the peer that a message names: struct msghdr begins with the
// address and its length.
func messageTo(g guest, at uint64) []byte {
	head := g.words(at, 2)
	if head == nil {
		return nil
	}
	return g.address(head[0], uint32(head[1]))
}

const (
	// maxMessages is how many messages of one sendmmsg are looked at; more are
	// counted. The host pays for looking.
	maxMessages = 16
	// messageSize is that of its struct mmsghdr, and mostMessages its bound
	// (UIO_MAXIOV).
	messageSize, mostMessages = 64, 1024
)

// messages are the peers of a sendmmsg. The kernel answers it: it may send some.
func (s *seen) messages(g guest, n notification) (all []act) {
	many := min(n.args[2], mostMessages)
	for i := range many {
		if i >= maxMessages {
			all = append(all, act{kind: events.Connect, counted: true})
			continue
		}
		for _, a := range s.peer(g, int32(n.args[0]), messageTo(g, n.args[1]+i*messageSize)) {
			a.errno = 0
			all = append(all, a)
		}
	}
	return all
}

// binding is a bind to a path, which makes a file.
func binding(g guest, n notification) []act {
	name, _, _ := events.Address(g.address(n.args[1], uint32(n.args[2])))
	file, isFile := strings.CutPrefix(name, "unix:")
	if !isFile || file == "" || file[0] == '@' {
		return nil
	}
	return []act{creation(g, g.absolute(file), "socket")}
}

// absolute makes a path absolute that begins in the working directory.
func (g guest) absolute(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	base, err := os.Readlink(g.proc("cwd"))
	if err != nil {
		return name
	}
	return path.Join(base, name)
}
