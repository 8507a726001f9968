package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Users behind boxes on the host. Root gives each box one that nothing else on
// the host is: a part of the numbers that no tool gives to people or services
// (systemd's UIDS-GIDS.md lists who takes what; from 1879048192 to 2147483647
// all is unused). Who is not root has one user, their own.
const (
	firstUser   = 0x70000000
	usersOfOne  = 0x10000 // of one start of this program
	manySets    = 0x0FFF
	usersFolder = "users"
)

// users hands out the users behind boxes.
type users struct {
	first int      // on the host, that of the zygotes; boxes have those above it
	group int      // likewise, where there is one alone; else the same as first
	many  int      // how many there are in all
	held  *os.File // locked: nobody else has this set

	mu   sync.Mutex
	next int
	used map[int]bool
}

// newUsers takes a set of users that no other start of this program has. Its
// mark stands below state.
func newUsers(state string) (*users, error) {
	if os.Geteuid() != 0 {
		return &users{first: os.Geteuid(), group: os.Getegid(), many: 1}, nil
	}
	if !mapsAll() {
		// Root of a container, who has few users: the last of them is nobody.
		return &users{first: nobody, group: nobody, many: 1}, nil
	}
	dir := filepath.Join(state, usersFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("users of boxes: %w", err)
	}
	for set := range manySets {
		f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(set)), os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return nil, fmt.Errorf("users of boxes: %w", err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return &users{first: firstUser + set*usersOfOne, many: usersOfOne, held: f, used: map[int]bool{}}, nil
		}
		_ = f.Close()
	}
	return nil, errors.New("users of boxes: every set is taken")
}

// nobody is the user of programs as they see it, and behind them where there are
// no others to be had.
const nobody = 65534

// mapsAll reports whether this user namespace has every user of the machine.
func mapsAll() bool {
	data, err := os.ReadFile("/proc/self/uid_map")
	fields := strings.Fields(string(data))
	return err == nil && len(fields) == 3 && fields[0] == "0" && fields[2] == "4294967295"
}

func (u *users) close() error {
	if u == nil || u.held == nil {
		return nil
	}
	return u.held.Close()
}

// take returns a user of the zygotes' namespace for one box; release gives it
// back when nothing of the box is left.
func (u *users) take() (user int, release func(), err error) {
	if u.many == 1 {
		return zygoteUser, func() {}, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.used) >= u.many/2 {
		return 0, nil, errors.New("too many boxes")
	}
	for {
		u.next = (u.next + 1) % u.many
		if user = zygoteUser + u.next; u.next > 0 && !u.used[user] {
			break
		}
	}
	u.used[user] = true
	return user, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.used, user)
	}, nil
}
