package gvisor

import (
	"strings"

	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/hostarch"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/socket"

	"palisade/internal/events"
)

// listening is a listen; the address is the socket's own.
func listening(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
	f := t.GetFile(args[0].Int())
	if f == nil {
		return told{}, false
	}
	defer f.DecRef(t)
	s, ok := f.Impl().(socket.Socket)
	if !ok {
		return told{}, false
	}
	a := told{kind: events.Listen, what: "(unbound)"}
	addr, size, err := s.GetSockName(t)
	if err == nil {
		b := make([]byte, addr.SizeBytes())
		addr.MarshalBytes(b)
		if name, near, ok := events.Address(b[:min(int(size), len(b))]); ok {
			a.what, a.near = name, near
		}
	}
	return a, true
}

// binding is a bind to a path, which makes a file.
func binding(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
	a, ok := peerAt(t, args[1].Pointer(), args[2].Uint())
	name, isPath := strings.CutPrefix(a.what, "unix:")
	if !ok || !isPath || name == "" || name[0] == '@' {
		return told{}, false
	}
	return told{kind: events.Create, what: absolute(t, name), detail: "socket"}, true
}

// maxMessages is how many messages one sendmmsg takes (UIO_MAXIOV), and
// messageSize the size of its struct mmsghdr.
const (
	maxMessages = 1024
	messageSize = 64
)

// tellMessages tells of every peer of a sendmmsg: of the first as of any call,
// of the others before it, as if each were reached.
func (g *guard) tellMessages(fn kernel.SyscallFn) kernel.SyscallFn {
	first := g.tell(fn, func(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
		return messageTo(t, args[1].Pointer())
	})
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		if r := g.events.Load(); r.On() {
			for i := uint32(1); i < min(args[2].Uint(), maxMessages); i++ {
				a, ok := messageTo(t, args[1].Pointer()+hostarch.Addr(i*messageSize))
				if !ok {
					continue
				}
				if r.Aborts(a.kind) && !a.near {
					r.Record(a.kind, a.what, "ended the run", true)
					g.end(t, a.kind)
					return 0, nil, linuxerr.EPERM
				}
				r.Record(a.kind, a.what, "sendmmsg", false)
			}
		}
		return first(t, nr, args)
	}
}

// messageTo is a message that names its peer: struct msghdr begins with the
// peer's address and its length.
func messageTo(t *kernel.Task, at hostarch.Addr) (told, bool) {
	var head [12]byte
	if _, err := t.CopyInBytes(at, head[:]); err != nil {
		return told{}, false
	}
	return peerAt(t, hostarch.Addr(hostarch.ByteOrder.Uint64(head[:8])), hostarch.ByteOrder.Uint32(head[8:]))
}

// peerAt reads the address that a call names.
func peerAt(t *kernel.Task, at hostarch.Addr, size uint32) (told, bool) {
	if at == 0 || size < 2 {
		return told{}, false
	}
	b := make([]byte, min(size, events.MaxAddress))
	if _, err := t.CopyInBytes(at, b); err != nil {
		return told{}, false
	}
	name, near, ok := events.Address(b)
	return told{kind: events.Connect, what: name, near: near}, ok
}
