package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"palisade/internal/audit/mirror"
)

// Mirror is a second place for signed heads.
type Mirror interface {
	// Put copies a signed head of the log named by origin.
	Put(ctx context.Context, origin string, signed []byte) error
	// String says where that is, for messages.
	String() string
}

// LatestReader is a Mirror that can be read back. It is asked when a log is
// opened or made, so that a log that was put back to an older copy, or is gone,
// is not written on.
type LatestReader interface {
	Mirror
	// Latest returns the newest copies, of every log that the mirror has.
	Latest(ctx context.Context) ([]mirror.Copy, error)
}

// Config says where a log lies. Dir, KeyFile and Now are required.
type Config struct {
	// Dir is the log's folder: made with mode 0700 on first use; nobody but its
	// owner may be able to write to it.
	Dir string
	// KeyFile is the private key, made with mode 0600 on first use, outside Dir.
	KeyFile string
	// PublicKeyFile is the public key. Empty: log.pub beside KeyFile.
	PublicKeyFile string
	// Name is the log's name in signed heads; its key's fingerprint is added.
	// Logs that share a mirror need names of their own. Empty:
	// "palisade.local/audit".
	Name string
	// Mirrors get a copy of the signed head after each run. One that fails fails
	// the append that it was for.
	Mirrors []Mirror
	// Now is the clock for the log's own entries.
	Now func() time.Time
	// Logger is for operators: recoveries and flushes. Nil: none.
	Logger *slog.Logger
	// LockTimeout bounds the wait for other processes. Zero: 10 s.
	LockTimeout time.Duration
	// MirrorTimeout bounds each copy of a head. Zero: 10 s.
	MirrorTimeout time.Duration
	// MaxPayload bounds one payload, in bytes. Zero: 64 MiB.
	MaxPayload int
	// FlushBytes is the size of the journal, in bytes, at which it is turned into
	// tiles and packs. Zero: 512 KiB.
	FlushBytes int64
}

const defaultName = "palisade.local/audit"

// Errors on which a caller may act.
var (
	// ErrGone: there is no log, but its key or a mirrored head says that there
	// was one. Only Create starts a new one.
	ErrGone = errors.New("the audit log is gone")
	// ErrKeyMissing: there is a log, but no key to write it with.
	ErrKeyMissing = errors.New("the audit log's private key is missing")
	// ErrLocked: another process held the log for longer than LockTimeout.
	ErrLocked = errors.New("the audit log is locked by another process")
	// ErrClosed: the log was closed.
	ErrClosed = errors.New("the audit log is closed")
)

// complete checks a config and fills in what was left out.
func (c Config) complete() (Config, error) {
	if c.Dir == "" || c.KeyFile == "" || c.Now == nil {
		return c, errors.New("audit: Dir, KeyFile and Now are required")
	}
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return c, err
	}
	if c.KeyFile, err = filepath.Abs(c.KeyFile); err != nil {
		return c, err
	}
	if c.PublicKeyFile == "" {
		c.PublicKeyFile = publicPath(c.KeyFile)
	}
	if strings.HasPrefix(c.KeyFile, c.Dir+string(filepath.Separator)) {
		return c, fmt.Errorf("audit: key %s must lie outside the log's folder %s", c.KeyFile, c.Dir)
	}
	if c.Name == "" {
		c.Name = defaultName
	}
	if !validLogName(c.Name) {
		return c, fmt.Errorf("audit: name %q: want up to 64 letters, digits and . _ - /", c.Name)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	defaultTo(&c.LockTimeout, 10*time.Second)
	defaultTo(&c.MirrorTimeout, 10*time.Second)
	defaultTo(&c.MaxPayload, 64<<20)
	defaultTo(&c.FlushBytes, 512<<10)
	return c, nil
}

func defaultTo[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

func validLogName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || !validName(part) {
			return false
		}
	}
	return len(name) <= maxName
}

// safeDir reports an error unless path is a folder, not a link, that nobody
// but its owner can write to.
func safeDir(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("audit log %s: want a folder that only its owner can write to (mode 0700), not %v", path, info.Mode())
	}
	return nil
}
