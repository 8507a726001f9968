package native

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"

	"palisade/internal/events"
	"palisade/internal/sandbox"
)

// The host is told of some system calls before they are made
// (SECCOMP_RET_USER_NOTIF, seccomp_unotify(2)), and answers each. It refuses those
// that the verdict denies, by their number and what is in registers alone. All
// others it lets go on: what a call names in memory a program could change
// meanwhile, so that what the host reads there is for the record. A call that
// nobody answers is not made, and where nobody listens any more the kernel
// refuses it.
//
// At some it looks for what no control group counts: the files, bytes, inodes and
// address space that a process was refused.

// look is what the host looks at before a system call.
type look int

const (
	lookFiles   look = iota + 1 // a descriptor is about to be made
	lookScratch                 // files may be about to become fewer
	lookSize                    // a file is about to get a size
	lookForks                   // a process or thread is about to be made
	lookMemory                  // much memory is about to be mapped
)

// looks are the looks by the name of the system call.
var looks = sync.OnceValue(func() map[string]look {
	all := maps.Clone(told)
	all["fcntl"] = lookFiles
	for _, name := range []string{"clone", "fork", "vfork"} {
		all[name] = lookForks
	}
	all["mmap"], all["mremap"] = lookMemory, lookMemory
	return all
})

// callNames are the names of this architecture's system calls by number.
var callNames = sync.OnceValue(func() map[int]string {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil // no filter could be made either
	}
	return info.SyscallNumbers
})

// seen is what was seen of one run.
type seen struct {
	run  *run
	fd   int
	done chan struct{}
	// refused are the calls that the verdict denies, and threadsOnly says that
	// clone makes threads alone. They are in force once the box has its filter.
	refused     map[string]bool
	threadsOnly bool
	inForce     atomic.Bool
	// reads says that the memory of the box could be read.
	reads atomic.Bool

	acts   *events.Recorder
	region *[events.Size]byte // what acts writes into
	root   int                // the box's root folder
	made   map[string]bool    // names of files that the program opened to change them
	ended  bool               // an act ended the run

	mu   sync.Mutex
	hit  map[string]bool
	most int64 // the most bytes that scratch held
}

// start listens to the calls of a run's box. The descriptor becomes its own.
func (s *seen) start(r *run) error {
	refused, err := sandbox.DeniedSyscalls(r.job.DeniedSyscalls)
	if err != nil {
		return err
	}
	root, err := unix.Open("/proc/"+strconv.Itoa(r.pid)+"/root", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("the box's root: %w", err)
	}
	fd := r.calls
	r.calls = -1
	s.run, s.fd, s.done, s.root = r, fd, make(chan struct{}), root
	s.hit, s.refused = map[string]bool{}, map[string]bool{}
	for _, name := range refused {
		s.refused[name] = true
	}
	s.threadsOnly = slices.Contains(r.job.DeniedSyscalls, "fork")
	s.region = regions.Get().(*[events.Size]byte) //nolint:forcetypeassert // nothing else is put there
	s.acts = events.NewRecorder(s.region[:])
	// Whoever waits for the answer is woken on the processor that gave it. A
	// kernel that does not know this (before 6.6) takes longer.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), setFlags, syncWakeUp)
	go s.listen()
	return nil
}

// stop ends the listening. The box is dead.
func (s *seen) stop() {
	if s.done != nil {
		<-s.done
	}
}

// regions are for the next runs. Each is zero.
var regions = sync.Pool{New: func() any { return new([events.Size]byte) }}

// forget ends the use of what was seen, after stop.
func (s *seen) forget() {
	if s.region != nil {
		clear(s.region[:])
		regions.Put(s.region)
		s.region, s.acts = nil, nil
	}
}

func (s *seen) limits() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.hit {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *seen) written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func (s *seen) note(limit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hit != nil {
		s.hit[limit] = true
	}
}

// notification and response are struct seccomp_notif and seccomp_notif_resp of
// include/uapi/linux/seccomp.h.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type response struct {
	id    uint64
	val   int64
	err   int32
	flags uint32
}

// Of include/uapi/linux/seccomp.h.
const (
	continueCall = 1          // SECCOMP_USER_NOTIF_FLAG_CONTINUE
	setFlags     = 0x40082104 // SECCOMP_IOCTL_NOTIF_SET_FLAGS
	syncWakeUp   = 1          // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
)

// listen looks at each system call that the host is told of, until nobody is left
// who could make one.
func (s *seen) listen() {
	defer close(s.done)
	defer func() { _, _ = unix.Close(s.fd), unix.Close(s.root) }() // nobody else has them
	for {
		fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil || fds[0].Revents&unix.POLLIN == 0 {
			return // nobody is left
		}
		var n notification
		if err := s.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); err != nil {
			continue // whoever made it is gone
		}
		answer := s.answer(n)
		if s.ended {
			continue // its caller is being killed, and is not to go on until then
		}
		_ = s.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&answer)) // as above
	}
}

// answer looks at a call, tells of it, and says what becomes of it.
func (s *seen) answer(n notification) response {
	name, known := callNames()[int(n.nr)]
	if !known || s.refuses(name, n) {
		s.tellRefused(name, n)
		return response{id: n.id, err: -int32(unix.EPERM)}
	}
	s.look(looks()[name], n)
	if errno := s.tell(name, n); errno != 0 {
		return response{id: n.id, err: -int32(errno)}
	}
	return response{id: n.id, flags: continueCall}
}

// refuses reports whether the verdict denies a call. Before the box has its filter
// there is no program, and the box is still made ready.
func (s *seen) refuses(name string, n notification) bool {
	if !s.inForce.Load() {
		return false
	}
	if name == "clone" {
		flags := n.args[0]
		return flags&sandbox.CloneNamespaces != 0 || s.threadsOnly && flags&sandbox.CloneThread == 0
	}
	return s.refused[name]
}

// valid reports whether the call still waits: then what was read meanwhile was its
// caller's.
func (s *seen) valid(n notification) bool {
	return s.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)) == nil
}

// guest is who made a call.
func (s *seen) guest(n notification) guest { return guest{tid: int(n.pid), root: s.root} }

func (s *seen) ioctl(request uint, p unsafe.Pointer) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), uintptr(request), uintptr(p))
	if errno != 0 {
		return errno
	}
	return nil
}

func (s *seen) look(at look, n notification) {
	switch at {
	case lookFiles:
		s.tryReading(n)
		least := 0
		if n.nr == unix.SYS_FCNTL {
			least = int(int32(n.args[2]))
		}
		if openFiles(int(n.pid), least, s.run.job.Limits.OpenFiles+s.run.way.files()) {
			s.note("files")
		}
	case lookScratch:
		s.lookAtScratch(s.run.scratch)
	case lookSize:
		s.lookAtScratch(s.run.scratch)
		size := int64(n.args[1])
		if n.nr == unix.SYS_FALLOCATE {
			size = int64(n.args[2] + n.args[3])
		}
		if size > s.run.job.Limits.Disk {
			s.note("disk")
		}
	case lookForks:
		if s.run.group == nil && s.run.tasksLeft() <= 0 {
			s.note("processes")
		}
	case lookMemory:
		if s.tooLarge(int(n.pid), max(n.args[1], n.args[2]*uint64(b2i(n.nr == unix.SYS_MREMAP)))) {
			s.note("memory")
		}
	}
}

// tryReading finds out whether what calls name can be read at all: a kernel may
// forbid it (kernel.yama.ptrace_scope=3). Any open of the harness's tells.
func (s *seen) tryReading(n notification) {
	if !s.reads.Load() && n.nr == unix.SYS_OPENAT {
		if _, ok := s.guest(n).text(n.args[1], 1); ok {
			s.reads.Store(true)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// lookAtScratch notes where the file system of both scratch directories is full.
func (s *seen) lookAtScratch(fd int) {
	used, bytes, files, err := filesLeft(fd)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.most = max(s.most, used)
	s.mu.Unlock()
	if bytes <= 0 {
		s.note("disk")
	}
	if files <= 0 {
		s.note("inodes")
	}
}

// tooLarge reports whether a mapping would pass the bound on address space.
func (s *seen) tooLarge(pid int, size uint64) bool {
	bound := s.run.addressSpace()
	data, err := sandbox.ReadKernel(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil || bound == 0 {
		return false
	}
	first, _, _ := strings.Cut(string(data), " ") // pages in all, see proc(5)
	pages, err := strconv.ParseUint(first, 10, 64)
	return err == nil && pages*uint64(os.Getpagesize())+size > uint64(bound)
}

// openFiles reports whether a process has every descriptor from least to below
// limit open: the next one is refused.
func openFiles(pid, least, limit int) bool {
	f, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	if err != nil {
		return false
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil || len(names) < limit-least {
		return false
	}
	below := 0
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil && n >= least && n < limit {
			below++
		}
	}
	return below >= limit-least
}

// countTasks counts the threads of a box's processes.
func countTasks(first int) int {
	n := 0
	for _, pid := range sandbox.Tree(first) {
		entries, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
		if err == nil {
			n += len(entries)
		}
	}
	return n
}
