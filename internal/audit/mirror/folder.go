package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Folder keeps the heads of each log in a file of its own, named by the log's
// origin, which is only ever appended to.
type Folder struct {
	// Dir must be there: a missing one may be a disk that is not mounted, and a
	// folder made in its place would lie on the same disk as the log.
	Dir string
	Now func() time.Time
}

// String says where the copies go.
func (f Folder) String() string { return "folder " + f.Dir }

// Put appends a head and syncs it. Several processes may share a folder.
func (f Folder) Put(ctx context.Context, origin string, signed []byte) error {
	text, err := Format(f.Now(), signed)
	if err != nil {
		return err
	}
	if err := f.there(); err != nil {
		return err
	}
	name := filepath.Join(f.Dir, url.PathEscape(origin)+suffix)
	file, made, err := openAppend(name)
	if err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	err = appendLine(ctx, file, text)
	if err = errors.Join(err, file.Close()); err == nil && made {
		err = syncDir(f.Dir)
	}
	if err != nil {
		return fmt.Errorf("mirror to %s: %w", name, err)
	}
	return nil
}

// there reports an error unless the folder is one.
func (f Folder) there() error {
	info, err := os.Stat(f.Dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("mirror folder %s does not exist: make it, or mount it", f.Dir)
	case err != nil:
		return fmt.Errorf("mirror folder: %w", err)
	case !info.IsDir():
		return fmt.Errorf("mirror folder %s is not a folder", f.Dir)
	}
	return nil
}

func openAppend(name string) (file *os.File, made bool, err error) {
	const flags = os.O_RDWR | os.O_APPEND | unix.O_NOFOLLOW
	file, err = os.OpenFile(name, flags, 0)
	if errors.Is(err, os.ErrNotExist) {
		made = true
		file, err = os.OpenFile(name, flags|os.O_CREATE, 0o600)
	}
	return file, made, err
}

// appendLine adds a whole line or nothing: behind a line that a crash tore it
// starts a new one, and what could not be written is cut off again.
func appendLine(ctx context.Context, file *os.File, text []byte) error {
	if err := lock(ctx, file); err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size > 0 {
		var last [1]byte
		if _, err := file.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			// Its mark makes the torn line known as one; see Parse.
			text = append([]byte("\n"), text...)
		}
	}
	if _, err := file.Write(text); err != nil {
		return errors.Join(err, file.Truncate(size))
	}
	return file.Sync()
}

// lock takes the file's lock; it is released when the file is closed.
func lock(ctx context.Context, file *os.File) error {
	wait := time.NewTicker(time.Millisecond)
	defer wait.Stop()
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("lock: %w", context.Cause(ctx))
		case <-wait.C:
		}
	}
}

// Latest returns the last heads of every log in the folder: for each, those in
// the last 16 KiB of its file. A
// missing folder is an error: nobody can tell what it held.
func (f Folder) Latest(context.Context) ([]Copy, error) {
	const tail = 1 << 14
	if err := f.there(); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(f.Dir), "*"+suffix))
	if err != nil {
		return nil, err
	}
	var copies []Copy
	for _, name := range names {
		file, err := openRegular(name)
		if err != nil {
			return nil, fmt.Errorf("mirror: %w", err)
		}
		more, err := latest(file, name, tail)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, fmt.Errorf("mirror: %w", err)
		}
		copies = append(copies, more...)
	}
	return copies, nil
}

func latest(file *os.File, name string, tail int64) ([]Copy, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	start := max(0, info.Size()-tail)
	data := make([]byte, info.Size()-start)
	if n, err := file.ReadAt(data, start); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else {
		data = data[:n]
	}
	if start > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return Parse(bytes.NewReader(data), name)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
