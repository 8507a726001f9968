package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/audit/mirror"
)

// Log is an audit log open for writing. It is a palisade.Recorder and safe for
// use by many goroutines; other processes may write to the same log.
type Log struct {
	c      Config
	dir    *os.Root
	lock   *os.File
	file   *os.File // the journal
	headF  *os.File
	signer note.Signer
	key    note.Verifier
	public string

	queue struct {
		sync.Mutex
		waiting []*request
	}
	mu       sync.Mutex // guards what follows, and the folder within this process
	s        *state
	reserved bool  // the journal has its disk space
	broken   error // set once the files may not be what s says

	mirrored struct {
		sync.Mutex
		size int64
	}
}

// Open opens a log for writing. On first use it makes the log and its key. It
// cuts off a torn end and records that it did.
//
// It fails with ErrGone, ErrKeyMissing or a *TamperError where writing on would
// cover up that something is missing.
func Open(ctx context.Context, c Config) (*Log, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	made, err := prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	l, err := open(ctx, c)
	if err != nil || !made {
		return l, err
	}
	return l.firstCopy(ctx)
}

// firstCopy copies a new log's head: a mirror that does not work is better known
// now, and a log that is deleted before its first run is missed.
func (l *Log) firstCopy(ctx context.Context) (*Log, error) {
	if err := l.MirrorHeads(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func open(ctx context.Context, c Config) (*Log, error) {
	if err := safeDir(c.Dir); err != nil {
		return nil, err
	}
	l := &Log{c: c}
	var err error
	if l.signer, l.key, l.public, err = readKey(c.KeyFile); err != nil {
		return nil, err
	}
	if err := l.checkPublic(); err != nil {
		return nil, err
	}
	if err := l.openFiles(); err != nil {
		if tampered := (*TamperError)(nil); !errors.As(err, &tampered) {
			err = fmt.Errorf("open audit log %s: %w", c.Dir, err)
		}
		return nil, errors.Join(err, l.closeFiles())
	}
	if err := l.catchUpOnOpen(ctx); err != nil {
		return nil, errors.Join(err, l.closeFiles())
	}
	return l, nil
}

// checkPublic holds log.pub to the private key, and writes it when it is gone.
func (l *Log) checkPublic() error {
	got, err := ReadPublicKey(l.c.PublicKeyFile)
	if ignoreMissing(err) != nil {
		return err
	}
	if err != nil {
		return writeSynced(l.c.PublicKeyFile, l.public+"\n", 0o644)
	}
	if got != l.public {
		return fmt.Errorf("audit key: %s is not the public half of %s", l.c.PublicKeyFile, l.c.KeyFile)
	}
	return nil
}

func (l *Log) openFiles() error {
	var err error
	if l.dir, err = os.OpenRoot(l.c.Dir); err != nil {
		return err
	}
	if _, err = l.dir.Lstat(fileCheckpoint); err != nil {
		return &TamperError{fileCheckpoint, "missing"}
	}
	// The lock holds nothing, so that a copy of the log may come without it.
	if l.lock, err = openLock(l.dir); err != nil {
		return err
	}
	for name, f := range map[string]**os.File{fileJournal: &l.file, fileHead: &l.headF} {
		if *f, err = l.dir.OpenFile(name, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0); err != nil {
			if ignoreMissing(err) == nil {
				return &TamperError{name, "missing"}
			}
			return err
		}
	}
	return nil
}

func openLock(dir *os.Root) (*os.File, error) {
	f, err := dir.OpenFile(fileLock, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if ignoreMissing(err) != nil || err == nil {
		return f, err
	}
	if made, err := create(dir, fileLock); err == nil {
		made.Close()
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return dir.OpenFile(fileLock, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

func (l *Log) closeFiles() error {
	var errs []error
	for _, f := range []*os.File{l.lock, l.file, l.headF} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	if l.dir != nil {
		errs = append(errs, l.dir.Close())
	}
	return errors.Join(errs...)
}

// catchUpOnOpen reads the log, recovers it if need be, and holds it to the
// mirrors.
func (l *Log) catchUpOnOpen(ctx context.Context) error {
	// A mirrored head is made after the entries that it covers are written, so
	// the mirrors are read first.
	copies, err := latest(ctx, l.c)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.exclusive(ctx, func() error {
		newest, ok := l.newest(copies)
		if !ok {
			return nil
		}
		return l.s.agrees(newest)
	})
}

// newest finds the newest mirrored head that the log's key signed. Other logs'
// heads, and damaged ones, are for Verify to tell of.
func (l *Log) newest(copies []mirror.Copy) (mark, bool) {
	var ours []mark
	for _, m := range copies {
		// Signatures are dear: they are checked from the newest on until one holds.
		if h, err := openHead(m.Note, strangers{}); errors.Is(err, errNotOurs) && h.Origin == l.key.Name() {
			ours = append(ours, mark{m.Where, h})
		}
	}
	slices.SortStableFunc(ours, func(a, b mark) int { return cmp.Compare(b.head.Size, a.head.Size) })
	for _, m := range ours {
		if _, err := openHead(m.head.Note, l.key); err == nil {
			return m, true
		}
	}
	return mark{}, false
}

// PublicKey returns the log's public key: name+hash+key.
func (l *Log) PublicKey() string { return l.public }

// Close makes what was appended durable and closes the log.
func (l *Log) Close() error {
	err := l.Append(context.Background(), true)
	if errors.Is(err, ErrClosed) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(l.broken, ErrClosed) {
		return nil
	}
	l.broken = ErrClosed
	return errors.Join(err, l.closeFiles())
}

// exclusive runs f with the log's lock held, after catching up with what other
// processes wrote and repairing what one of them left torn. l.mu must be held.
func (l *Log) exclusive(ctx context.Context, f func() error) error {
	if l.broken != nil {
		return l.broken
	}
	if err := flock(ctx, l.lock, l.c.LockTimeout); err != nil {
		return err
	}
	defer unix.Flock(int(l.lock.Fd()), unix.LOCK_UN)
	if err := l.samePlace(); err != nil {
		l.broken = err
		return err
	}
	torn, err := l.catchUp()
	if err != nil {
		if tampered := (*TamperError)(nil); errors.As(err, &tampered) {
			l.broken = err
		}
		return err
	}
	if torn != nil || len(l.s.header) == 0 {
		if err := l.recover(torn); err != nil {
			return err
		}
	}
	return f()
}

// samePlace reports an error when the files that are open are not those in the
// folder any more: someone deleted or replaced the log.
func (l *Log) samePlace() error {
	for name, f := range map[string]*os.File{fileLock: l.lock, fileJournal: l.file, fileHead: l.headF} {
		open, err := f.Stat()
		if err != nil {
			return err
		}
		there, err := os.Lstat(l.c.Dir + "/" + name)
		if ignoreMissing(err) != nil {
			return err
		}
		if err != nil || !os.SameFile(open, there) {
			return &TamperError{name, "was deleted or replaced while the log was open"}
		}
	}
	return nil
}

// catchUp reads what other processes appended since this one last looked.
func (l *Log) catchUp() (*tear, error) {
	if l.s == nil {
		return l.reload()
	}
	info, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	header := make([]byte, len(l.s.header))
	if n, err := l.file.ReadAt(header, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read journal: %w", err)
	} else if n < len(header) || string(header) != string(l.s.header) {
		return l.reloadAfter(l.s.head)
	}
	switch size := info.Size(); {
	case size == l.s.end:
		return nil, nil
	case size < l.s.end:
		return nil, &TamperError{fileJournal, "was cut while the log was open"}
	case size > maxJournal:
		return nil, &TamperError{fileJournal, "is too large"}
	default:
		data := make([]byte, size-l.s.end)
		if _, err := l.file.ReadAt(data, l.s.end); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		return l.s.apply(data, false)
	}
}

func (l *Log) reload() (*tear, error) {
	s, torn, err := readState(l.dir, l.key, false)
	if err != nil {
		return nil, err
	}
	l.s = s
	return torn, nil
}

// reloadAfter reads the log anew after another process flushed it; what this
// one knew must still be in it.
func (l *Log) reloadAfter(known Head) (*tear, error) {
	torn, err := l.reload()
	if err != nil {
		return nil, err
	}
	return torn, l.s.agrees(mark{"the log that was open", known})
}

// recover cuts off a torn end, if there is one, and records it; it gives the
// journal a header when a crash left it without.
func (l *Log) recover(t *tear) error {
	if t != nil {
		l.c.Logger.Warn("audit log: torn end cut off", slog.Int64("offset", t.Offset), slog.Int64("bytes", t.Bytes))
		if err := l.file.Truncate(l.s.end); err != nil {
			return fmt.Errorf("recover audit log: %w", err)
		}
	}
	if len(l.s.header) == 0 {
		if err := l.restart(l.s.base); err != nil {
			return err
		}
	}
	if t == nil {
		return nil
	}
	if err := l.write([]palisade.Event{{Kind: palisade.EventRecovered, Time: l.c.Now(), Data: t}}); err != nil {
		return fmt.Errorf("recover audit log: %w", err)
	}
	return l.sync()
}

// flock takes an exclusive lock and waits for it no longer than timeout.
func flock(ctx context.Context, f *os.File, timeout time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, ErrLocked)
	defer cancel()
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("lock audit log: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("lock audit log: %w", context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}
