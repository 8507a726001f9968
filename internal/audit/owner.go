package audit

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// create makes a file that is not there, for its owner alone. What root makes in
// another user's log is that user's, who could not read it otherwise: root may
// answer a question of theirs.
func create(dir *os.Root, name string) (*os.File, error) {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if uid, gid, other := otherOwner(dir); other {
		if err := f.Chown(uid, gid); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

// makeFolders makes the folders that a file lies in, as create makes files.
func makeFolders(dir *os.Root, file string) error {
	at := path.Dir(file)
	if _, err := dir.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeFolders(dir, at); err != nil {
		return err
	}
	if err := dir.Mkdir(at, 0o700); err != nil {
		return err
	}
	if uid, gid, other := otherOwner(dir); other {
		return dir.Lchown(at, uid, gid)
	}
	return nil
}

// otherOwner tells whose folder it is, where this process is root and it is not
// root's.
func otherOwner(dir *os.Root) (uid, gid int, other bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	info, err := dir.Stat(".")
	if err != nil {
		return 0, 0, false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return 0, 0, false
	}
	return int(owner.Uid), int(owner.Gid), true
}
