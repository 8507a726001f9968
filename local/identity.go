package local

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"palisade/internal/approval"
	"palisade/internal/config"
)

// Caller is the identity that the operating system vouches for, such as
// "uid:1000". Under sudo it is still the user who asked: root's rights do not
// make someone else of them. In a user namespace, where whoever made it is
// whatever user they like, nobody vouches for it: such a caller can submit, and
// neither approve nor be approved.
func Caller() string {
	return identify(os.Getuid(), os.Getenv("SUDO_UID"), loginUID(), config.OwnUsers())
}

// Peer is the identity of who is at the other end of a Unix socket: a user and a
// process, as the kernel tells them. claims is who they say they are; it counts as
// much as sudo's variable does, for root alone.
func Peer(uid, pid int, claims string) string {
	sudo, _ := strings.CutPrefix(claims, "uid:")
	return identify(uid, sudo, loginOf("/proc/"+strconv.Itoa(pid)+"/loginuid"), config.OwnUsers())
}

// Approver is who answers a question: the caller, and who else that may be. Root
// that names a caller by sudo's variable alone may still be who asked as root.
func Approver() (who string, also []string) {
	who = Caller()
	if own := "uid:" + strconv.Itoa(os.Getuid()); own != who && loginUID() == 0 {
		also = append(also, own)
	}
	return who, also
}

// identify tells who a process acts for: uid is its real user, sudo what sudo
// says who called it, login who logged in (0: not known), and alien why its user
// numbers are not the machine's.
func identify(uid int, sudo string, login int, alien error) string {
	if alien != nil {
		return approval.Unvouched + "uid:" + strconv.Itoa(uid)
	}
	if uid == 0 {
		// Who logged in cannot be changed by who became root since; what sudo
		// says is a variable like others.
		if login > 0 {
			return "uid:" + strconv.Itoa(login)
		}
		if asked, err := strconv.Atoi(sudo); err == nil && asked > 0 {
			return "uid:" + strconv.Itoa(asked)
		}
	}
	return "uid:" + strconv.Itoa(uid)
}

// loginUID is the user who logged in, as the kernel's audit keeps it; 0 where
// nobody did or the kernel does not say.
func loginUID() int { return loginOf("/proc/self/loginuid") }

func loginOf(file string) int {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	var fs unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &fs) != nil || fs.Type != unix.PROC_SUPER_MAGIC {
		return 0
	}
	text, err := io.ReadAll(io.LimitReader(f, 32))
	n, bad := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32)
	if err != nil || bad != nil || n == 1<<32-1 { // 2³²−1 stands for nobody
		return 0
	}
	return int(n)
}
