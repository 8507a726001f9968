package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// setupName is the name under which this program runs itself again to become a
// zygote: it makes the mounts, gives up what it need not have, and executes the
// interpreter.
const setupName = "palisade-native"

// controlFD is the zygote's end of the host's channel.
const controlFD = 3

// zygoteUser is a zygote's user and group in its own namespace. The users
// behind boxes are numbers above it.
const zygoteUser = 1

// plan is what a zygote is made of. It is handed over as JSON, in the argument.
type plan struct {
	// Root is the folder that becomes the root.
	Root string
	// Groups are the files of control groups that the zygote writes itself into.
	Groups []string
	Path   string
	Args   []string
	Env    []string
}

// Reexec must be called at the start of main. It reports whether this process is
// about to become a zygote rather than the program that the user started; then
// it does not return.
func Reexec() bool {
	if len(os.Args) == 0 || os.Args[0] != setupName {
		return false
	}
	fmt.Fprintln(os.Stderr, "native box:", setup())
	os.Exit(1) //nolint:forbidigo // this process is nothing else
	return true
}

// setup turns this process into a zygote. It returns only with an error. The
// process is alone in new namespaces, of which it has the capabilities.
func setup() error {
	// Capabilities and what execution keeps are a thread's own.
	runtime.LockOSThread()
	if len(os.Args) != 2 || os.Getpid() != 1 {
		return errors.New("this name is for Palisade's own use")
	}
	var p plan
	if err := json.Unmarshal([]byte(os.Args[1]), &p); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	for _, file := range p.Groups {
		if err := os.WriteFile(file, []byte("0"), 0); err != nil {
			return fmt.Errorf("enter the control group: %w", err)
		}
	}
	for _, step := range []func() error{p.root, becomeZygote, devices, p.enter, confine} {
		if err := step(); err != nil {
			return err
		}
	}
	return fmt.Errorf("execute %s: %w", p.Path, syscall.Exec(p.Path, append([]string{p.Path}, p.Args...), p.Env)) //nolint:gosec // the host's own plan
}

// root mounts the root's folder, read-only, where it is.
func (p plan) root() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount(p.Root, p.Root, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount the root: %w", err)
	}
	if err := unix.Chdir(p.Root); err != nil {
		return fmt.Errorf("enter the root: %w", err)
	}
	return readOnly(".", unix.MS_NOSUID|unix.MS_NODEV)
}

// readOnly makes a mount read-only. Flags that it has from the host stay: they
// cannot be taken from it in a user namespace.
func readOnly(path string, flags uintptr) error {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return fmt.Errorf("look at mount %s: %w", path, err)
	}
	flags |= uintptr(st.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME | unix.MS_RELATIME)
	if err := unix.Mount("", path, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|flags, ""); err != nil {
		return fmt.Errorf("make mount %s read-only: %w", path, err)
	}
	return nil
}

// becomeZygote takes the namespace's own user; capabilities stay, since none of
// the two is root.
func becomeZygote() error {
	_ = unix.Setgroups(nil) // not for an ordinary user, whose groups stay
	if err := syscall.Setresgid(zygoteUser, zygoteUser, zygoteUser); err != nil {
		return fmt.Errorf("set the group: %w", err)
	}
	if err := syscall.Setresuid(zygoteUser, zygoteUser, zygoteUser); err != nil {
		return fmt.Errorf("set the user: %w", err)
	}
	return nil
}

// harmless are the devices of a box, the host's own.
var harmless = []string{"null", "zero", "full", "random", "urandom"}

// devices makes /dev in the root, which is the working directory.
func devices() error {
	if err := unix.Mount("dev", "dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=755,size=64k,nr_inodes=32"); err != nil {
		return fmt.Errorf("mount /dev: %w", err)
	}
	for _, name := range harmless {
		at := filepath.Join("dev", name)
		if err := os.WriteFile(at, nil, 0o644); err != nil { //nolint:gosec // everyone may use them
			return err
		}
		if err := unix.Mount("/dev/"+name, at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount /%s: %w", at, err)
		}
	}
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, filepath.Join("dev", name)); err != nil {
			return err
		}
	}
	// What a module writes while it is loaded; boxes have their own in its place.
	for _, dir := range []string{"tmp", "work"} {
		if err := unix.Mount("scratch", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=755,size=16m,nr_inodes=1024"); err != nil {
			return fmt.Errorf("mount /%s: %w", dir, err)
		}
	}
	return readOnly("dev", unix.MS_NOSUID|unix.MS_NOEXEC)
}

// enter makes the working directory the root, and lets go of the host's.
func (p plan) enter() error {
	if err := unix.Mount("proc", "proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc (a container must not mask its own: --security-opt systempaths=unconfined): %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	// The old root lies above the new one now.
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("let go of the host's root: %w", err)
	}
	if err := unix.Chdir("/work"); err != nil {
		return err
	}
	return unix.Sethostname([]byte("box"))
}

// kept are the capabilities of a zygote, in its own namespace alone: it says
// which user is behind each box.
var kept = []int{unix.CAP_SETUID, unix.CAP_SETGID}

// given are the capabilities that setup itself needs.
var given = append([]uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}, unix.CAP_SETUID, unix.CAP_SETGID)

// confine gives up every capability but those that a zygote keeps.
func confine() error {
	for c := range unix.CAP_LAST_CAP + 1 {
		if c == unix.CAP_SETUID || c == unix.CAP_SETGID {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	var set uint32
	for _, c := range kept {
		set |= 1 << c
	}
	data := [2]unix.CapUserData{{Effective: set, Permitted: set, Inheritable: set}}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	for _, c := range kept {
		if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, uintptr(c), 0, 0); err != nil {
			return fmt.Errorf("keep capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	for _, resource := range []int{unix.RLIMIT_CORE, unix.RLIMIT_MEMLOCK} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{}); err != nil {
			return fmt.Errorf("bound resource %d: %w", resource, err)
		}
	}
	// What this program was started with by others is not a box's business.
	if err := unix.CloseRange(controlFD+1, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close what was inherited: %w", err)
	}
	// The change of user took it away; without the host nothing lives on.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("parent death signal: %w", err)
	}
	// It must be seen in /proc again, to say which user is behind a box.
	return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
}
