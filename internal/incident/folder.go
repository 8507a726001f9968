package incident

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Names in the folder.
const (
	stateName  = "state.json"
	lockName   = "lock"
	killDir    = "kill"
	runningDir = "running"
)

// Folder is the brake of one state folder, as files. It may be used by several
// goroutines.
type Folder struct {
	path  string
	root  *os.Root
	owner int // whose the folder is
	now   func() time.Time
}

// FolderConfig says where a brake is. All but Lost is required.
type FolderConfig struct {
	// Path is the brake's folder; its parent must be there. It is made where
	// it is missing.
	Path string
	Now  func() time.Time
	// Lost is asked for the state where the folder is missing: the record knows
	// whether there was one. Nil: there was none.
	Lost func() (State, error)
}

// OpenFolder opens a brake, and makes it where there is none.
func OpenFolder(c FolderConfig) (*Folder, error) {
	if c.Path == "" || c.Now == nil {
		return nil, errors.New("brake: a part is missing")
	}
	// Whoever may write the folder around it can put another in its place.
	if _, err := ownerOf(filepath.Dir(c.Path), os.Stat); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	if _, err := os.Lstat(c.Path); errors.Is(err, fs.ErrNotExist) {
		if err := makeFolder(c); err != nil {
			return nil, fmt.Errorf("make the brake %s: %w", c.Path, err)
		}
	}
	owner, err := ownerOf(c.Path, os.Lstat)
	if err != nil {
		return nil, fmt.Errorf("brake: %w", err)
	}
	root, err := os.OpenRoot(c.Path)
	if err != nil {
		return nil, fmt.Errorf("brake: %w", err)
	}
	return &Folder{c.Path, root, owner, c.Now}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// ownerOf holds a folder to being written by its owner alone, who is this
// process's user or root, or whose state root looks after.
func ownerOf(path string, look func(string) (os.FileInfo, error)) (int, error) {
	info, err := look(path)
	if err != nil {
		return 0, err
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	switch euid := os.Geteuid(); {
	case !info.IsDir() || !ok:
		return 0, fmt.Errorf("%s is not a folder", path)
	case info.Mode().Perm()&0o022 != 0:
		return 0, fmt.Errorf("%s is writable by others than its owner (mode %04o): chmod 700 it", path, info.Mode().Perm())
	case euid != 0 && int(sys.Uid) != euid && sys.Uid != 0:
		return 0, fmt.Errorf("%s belongs to uid %d", path, sys.Uid)
	default:
		return int(sys.Uid), nil
	}
}

// makeFolder makes the folder with everything in it, so that one that lacks
// something was tampered with.
func makeFolder(c FolderConfig) error {
	parent := filepath.Dir(c.Path)
	info, err := os.Stat(parent)
	if err != nil {
		return err
	}
	var s State
	if c.Lost != nil {
		if s, err = c.Lost(); err != nil {
			return err
		}
	}
	data, err := s.encode()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp(parent, ".incident-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // gone, where it was put in place
	for _, dir := range []string{killDir, runningDir} {
		err = errors.Join(err, os.Mkdir(filepath.Join(temp, dir), 0o700))
	}
	for name, data := range map[string][]byte{stateName: data, lockName: nil} {
		err = errors.Join(err, os.WriteFile(filepath.Join(temp, name), data, 0o600))
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 && sys.Uid != 0 {
		// What root makes in another user's state folder is that user's.
		err = errors.Join(err, filepath.WalkDir(temp, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, int(sys.Uid), int(sys.Gid)))
		}))
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temp, c.Path); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, unix.ENOTEMPTY) {
		return err // else another process made it first
	}
	return nil
}

// samePlace reports an error where the folder is not the one that is open: what
// others write now would not be seen.
func (f *Folder) samePlace() error {
	open, err := f.root.Stat(".")
	if err != nil {
		return err
	}
	there, err := os.Lstat(f.path)
	if err != nil {
		return err
	}
	if !os.SameFile(open, there) {
		return fmt.Errorf("%s was replaced", f.path)
	}
	return nil
}

// State returns what is switched. It is never without meaning: where the state
// cannot be read, that is an error and a lockdown.
func (f *Folder) State() (State, error) {
	s, err := f.state()
	if err != nil {
		return doubtful(err), err
	}
	return s, nil
}

func (f *Folder) state() (State, error) {
	if err := f.samePlace(); err != nil {
		return State{}, err
	}
	data, err := f.read(stateName)
	if err != nil {
		return State{}, err
	}
	s, err := decodeState(data)
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", filepath.Join(f.path, stateName), err)
	}
	return s, nil
}

// read reads a file that the folder's owner or root wrote, and nobody else can.
func (f *Folder) read(name string) ([]byte, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 || int(sys.Uid) != f.owner && sys.Uid != 0 {
		return nil, fmt.Errorf("%s is not a file that only its owner can write", filepath.Join(f.path, name))
	}
	data, err := io.ReadAll(io.LimitReader(file, maxState+1))
	if err == nil && len(data) > maxState {
		err = fmt.Errorf("%s is larger than %d bytes", filepath.Join(f.path, name), maxState)
	}
	return data, err
}

// create makes a file that is not there, in its owner's name.
func (f *Folder) create(name string) (*os.File, error) {
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 && f.owner != 0 {
		if err := file.Chown(f.owner, -1); err != nil {
			return nil, errors.Join(err, file.Close(), f.root.Remove(name))
		}
	}
	return file, nil
}

// write puts a file in place whole, or not at all.
func (f *Folder) write(name string, data []byte) error {
	temp := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+unique())
	file, err := f.create(temp)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, f.root.Remove(temp))
	}
	return f.sync()
}

// sync makes what was renamed survive a crash of the machine.
func (f *Folder) sync() error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
