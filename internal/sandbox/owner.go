package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Owner identifies a process for longer than its number lives: numbers are
// used again, a number with a start time of one boot is not.
type Owner struct {
	PID int `json:"pid"`
	// Start is when the process started, in clock ticks since boot: field 22 of
	// /proc/PID/stat, see proc(5).
	Start uint64 `json:"start"`
	// Boot is /proc/sys/kernel/random/boot_id.
	Boot string `json:"boot"`
	// Namespace is the inode of the process namespace in which PID counts.
	Namespace uint64 `json:"namespace"`
}

// OwnerOf returns the identity of a running process of this namespace.
func OwnerOf(pid int) (Owner, error) {
	start, err := startTime(pid)
	if err != nil {
		return Owner{}, err
	}
	o, err := here()
	o.PID, o.Start = pid, start
	return o, err
}

// here is what the owners of one boot and one process namespace share.
func here() (Owner, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Owner{}, fmt.Errorf("identify the boot: %w", err)
	}
	var st syscall.Stat_t
	if err := syscall.Stat("/proc/self/ns/pid", &st); err != nil {
		return Owner{}, fmt.Errorf("identify the process namespace: %w", err)
	}
	return Owner{Boot: strings.TrimSpace(string(boot)), Namespace: st.Ino}, nil
}

// Dead reports whether the process is known to be gone: it ran in another boot,
// or its number is another process's or nobody's. Of a process of another
// namespace nothing is known. A zombie is gone.
func (o Owner) Dead() bool {
	now, err := here()
	switch {
	case err != nil:
		return false
	case o.Boot != now.Boot:
		return true
	case o.Namespace != now.Namespace:
		return false
	}
	start, err := startTime(o.PID)
	return err != nil || start != o.Start
}

// startTime reads when a process started. A zombie counts as gone.
func startTime(pid int) (uint64, error) {
	data, err := ReadKernel(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, err
	}
	fields := statFields(data)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return 0, fmt.Errorf("process %d: %w", pid, os.ErrProcessDone)
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

// statFields returns the fields of a stat file from the third on: the second, a
// name, may hold spaces and parentheses.
func statFields(data []byte) []string {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return nil
	}
	return strings.Fields(string(data[end+1:]))
}

const ownerFile = "owner.json"

// Home is a directory of one start of this program. It carries the owner's
// record, so that a later start can tell what was left behind by a dead one.
type Home struct {
	Dir   string
	Owner Owner
}

// NewHome makes a home below parent, which is made if it is missing and must
// belong to this user alone. It is best on a tmpfs.
func NewHome(parent string) (*Home, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if err := private(parent); err != nil {
		return nil, err
	}
	owner, err := OwnerOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	// A process may have more than one home: the last part tells them apart.
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s%d-%d-%d-", homePrefix, owner.Namespace, owner.PID, owner.Start))
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	h := &Home{Dir: dir, Owner: owner}
	data, err := json.Marshal(owner)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ownerFile), data, 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("state: %w", err), os.RemoveAll(dir))
	}
	return h, nil
}

const (
	homePrefix  = "boxes-"
	groupPrefix = "palisade-"
)

// Name is unique to this home on this host; it names its cgroup.
func (h *Home) Name() string {
	return "palisade-" + strings.TrimPrefix(filepath.Base(h.Dir), homePrefix)
}

// Close removes the home and what is in it.
func (h *Home) Close() error { return os.RemoveAll(h.Dir) }

// DefaultStateDir is a directory on a tmpfs that belongs to this user.
func DefaultStateDir() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" && os.Geteuid() != 0 {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return filepath.Join(dir, "palisade")
		}
	}
	if os.Geteuid() == 0 {
		return "/run/palisade"
	}
	return "/dev/shm/palisade-" + strconv.Itoa(os.Geteuid())
}

// private refuses a directory in which somebody else could write, or that is
// not this user's, or that is a link.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(st.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("state: %s must be a directory of this user, closed to others (mode 0700)", dir)
	}
	return nil
}

// readHome reads a home's record. A directory without one is not ours.
func readHome(dir string) (*Home, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(st.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("%s: not this user's", dir)
	}
	data, err := os.ReadFile(filepath.Join(dir, ownerFile))
	if err != nil {
		return nil, err
	}
	h := &Home{Dir: dir}
	if err := json.Unmarshal(data, &h.Owner); err != nil {
		return nil, fmt.Errorf("%s: %w", ownerFile, err)
	}
	return h, nil
}

// homes lists the homes below parent.
func homes(parent string) ([]*Home, error) {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*Home
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), homePrefix) {
			continue
		}
		if h, err := readHome(filepath.Join(parent, e.Name())); err == nil {
			all = append(all, h)
		}
	}
	return all, nil
}
