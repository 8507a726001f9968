package native

import (
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"palisade/internal/lang"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/packet"
	"palisade/internal/sandbox/roots"
)

//go:embed zygote.py
var zygoteSource []byte

// zygotePath is where the zygote's program stands in a root.
const zygotePath = "/run/palisade/zygote.py"

const (
	// zygotePatience is how long a zygote may take to load its modules, and
	// boxPatience how long a box may take to park.
	zygotePatience = 60 * time.Second
	boxPatience    = 20 * time.Second
	// zygotePIDs and zygoteMemory bound a zygote's own control group.
	zygotePIDs   = 256
	zygoteMemory = 2 << 30
)

// zygote is an interpreter with its modules loaded, in namespaces of its own. It
// forks boxes, and ends with the host. It is safe for concurrent use.
type zygote struct {
	s     *Sandbox
	root  roots.Root
	cmd   *exec.Cmd
	group *sandbox.Cgroup
	tops  []string      // the folders of its root
	warm  bool          // it belongs to the pool
	ended chan struct{} // closed when it, and every box of it, is gone

	mu      sync.Mutex
	control *net.UnixConn
	boxes   int  // that it made and that are not closed
	closed  bool // Close was called: it ends with its last box
}

// hasTop reports whether the zygote's root has a folder.
func (z *zygote) hasTop(name string) bool { return slices.Contains(z.tops, name) }

// newZygote starts a zygote for a root with modules loaded. On an error nothing
// is left.
func (s *Sandbox) newZygote(ctx context.Context, r roots.Root, set lang.ModuleSet) (_ *zygote, err error) {
	z := &zygote{s: s, root: r, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, z.Close())
		}
	}()
	folders, err := os.ReadDir(r.Image.File)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		z.tops = append(z.tops, f.Name())
	}
	p, err := z.plan(set)
	if err != nil {
		return nil, err
	}
	ours, theirs, err := packet.Pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	z.control = ours
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	said := &words{log: s.log}
	z.cmd = s.zygoteCommand(string(text), theirs, said)
	started := make(chan error, 1)
	go z.live(started)
	if err := <-started; err != nil {
		z.cmd = nil
		return nil, fmt.Errorf("start a zygote (user namespaces must be allowed; see palisade doctor): %w", err)
	}
	if err := s.home.AddMember(z.cmd.Process.Pid); err != nil {
		return nil, fmt.Errorf("record the zygote: %w", err)
	}
	if err := z.awaitReady(ctx); err != nil {
		return nil, fmt.Errorf("start a zygote: %w%s", err, said.text())
	}
	return z, nil
}

// plan says what the zygote is made of, and makes its control group.
func (z *zygote) plan(set lang.ModuleSet) (plan, error) {
	first, err := initFilter()
	if err != nil {
		return plan{}, err
	}
	watched, err := toldFilter(z.s.counted())
	if err != nil {
		return plan{}, err
	}
	start := z.root.Start
	at := slices.Index(start.Args, lang.HarnessPath)
	if at < 0 {
		return plan{}, errors.New("the harness is not in the interpreter's command line")
	}
	own := []string{zygotePath, callNumbers(), hex.EncodeToString(first), hex.EncodeToString(watched), strings.Join(set.Modules, ","), set.Rehearsal}
	p := plan{Root: z.root.Image.File, Path: start.Path, Env: start.Env, Args: slices.Insert(slices.Clone(start.Args), at, own...)}
	if z.s.groups == nil {
		return p, nil
	}
	if z.group, err = z.s.groups.New("zygote-"+z.s.nextBox(), zygotePIDs); err != nil {
		return p, err
	}
	if _, err := z.group.LimitMemory(zygoteMemory); err != nil {
		return p, err
	}
	p.Groups = z.group.Entrances(false)
	return p, nil
}

// callNumbers are the numbers, on this architecture, of the system calls that
// Python has no function for.
func callNumbers() string {
	var pairs []string
	for name, number := range map[string]int{
		"clone": unix.SYS_CLONE, "unshare": unix.SYS_UNSHARE, "mount": unix.SYS_MOUNT, "prctl": unix.SYS_PRCTL,
		"sethostname": unix.SYS_SETHOSTNAME, "setdomainname": unix.SYS_SETDOMAINNAME, "capset": unix.SYS_CAPSET,
		"seccomp": unix.SYS_SECCOMP, "pidfd_open": unix.SYS_PIDFD_OPEN,
		"landlock_create_ruleset": unix.SYS_LANDLOCK_CREATE_RULESET, "landlock_add_rule": unix.SYS_LANDLOCK_ADD_RULE,
		"landlock_restrict_self": unix.SYS_LANDLOCK_RESTRICT_SELF,
	} {
		pairs = append(pairs, name+"="+strconv.Itoa(number))
	}
	return strings.Join(pairs, ",")
}

// zygoteCommand is this program, run again in namespaces of its own.
func (s *Sandbox) zygoteCommand(plan string, control *os.File, said io.Writer) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{setupName, plan}
	cmd.Env = []string{}
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{control}
	// Pipes, as a program's are: the interpreter finds out once what they are.
	cmd.Stdout, cmd.Stderr = said, said
	cmd.WaitDelay = time.Second
	ids := []syscall.SysProcIDMap{{ContainerID: zygoteUser, HostID: s.users.first, Size: s.users.many}}
	groups := slices.Clone(ids)
	if s.users.held == nil {
		groups[0].HostID = s.users.group
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid: true, Pdeathsig: unix.SIGKILL,
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		UidMappings: ids, GidMappings: groups, GidMappingsEnableSetgroups: s.users.held != nil,
		AmbientCaps: given,
	}
	return cmd
}

// live starts the zygote and waits for its end. The kernel's death signal is
// bound to the thread that started a process, so that this one stays.
func (z *zygote) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := z.cmd.Start()
	started <- err
	if err == nil {
		_ = z.cmd.Wait()
	}
	close(z.ended)
}

func (z *zygote) awaitReady(ctx context.Context) error {
	if err := z.control.SetReadDeadline(time.Now().Add(zygotePatience)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = z.control.SetReadDeadline(time.Now()) })
	defer stop()
	_, _, err := expect(z.control, 'R')
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (z *zygote) alive() bool {
	select {
	case <-z.ended:
		return false
	default:
		return true
	}
}

// hold counts one more box.
func (z *zygote) hold() error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.closed || !z.alive() {
		return errors.New("the zygote ended")
	}
	z.boxes++
	return nil
}

// letGo counts one box less.
func (z *zygote) letGo() error {
	z.mu.Lock()
	z.boxes--
	last := z.boxes == 0 && z.closed
	z.mu.Unlock()
	if !last {
		return nil
	}
	return z.end()
}

// Close implements [sandbox.Template]: the zygote makes no more boxes, and ends
// with the last that it made.
func (z *zygote) Close() error {
	z.mu.Lock()
	last := z.boxes == 0 && !z.closed
	z.closed = true
	z.mu.Unlock()
	if !last {
		return nil
	}
	return z.end()
}

// kill ends the zygote at once, and every box of it.
func (z *zygote) kill() {
	if z.cmd != nil && z.cmd.Process != nil {
		_ = z.cmd.Process.Kill()
	}
}

// end ends the zygote and frees what it held.
func (z *zygote) end() error {
	if z.control != nil {
		_ = z.control.Close()
	}
	if z.cmd != nil {
		z.kill()
		<-z.ended
	}
	if z.group == nil {
		return nil
	}
	return z.group.Remove()
}

// words keeps the first that a process says, for an error, and logs it.
type words struct {
	log  logger
	mu   sync.Mutex
	said []byte
}

type logger interface {
	Error(msg string, args ...any)
}

// maxWords is how many bytes are kept of what a zygote says.
const maxWords = 4 << 10

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if room := maxWords - len(w.said); room > 0 {
		w.said = append(w.said, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (w *words) text() string {
	time.Sleep(10 * time.Millisecond) // its last words may be on their way
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.said) == 0 {
		return ""
	}
	w.log.Error("a zygote did not come up", "said", string(w.said))
	return ": it said " + strconv.QuoteToASCII(string(w.said))
}
