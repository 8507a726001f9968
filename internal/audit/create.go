package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/audit/mirror"
)

// Opened is the payload of a log's first entry.
type Opened struct {
	Origin string `json:"origin"`
	// Reason is why a new log was started; empty on first use.
	Reason string `json:"reason,omitempty"`
	// Follows are the logs of this name that came before.
	Follows []Predecessor `json:"follows,omitempty"`
}

// Predecessor is the newest head that is known of an earlier log.
type Predecessor struct {
	Origin string `json:"origin"`
	Size   int64  `json:"size"`
	Root   string `json:"root"` // base64
	From   string `json:"from"` // where the head was found
}

// Create starts a new log on purpose, also where there is, or was, one: what is
// left of the old log and its key is set aside under names ending in
// ".retired-<time>", and the new log's first entry names it and the reason.
func Create(ctx context.Context, c Config, reason string) (*Log, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	if reason == "" {
		return nil, errors.New("create audit log: a reason is required")
	}
	unlock, err := lockParent(ctx, c)
	if err != nil {
		return nil, err
	}
	defer unlock()
	opened, err := predecessors(ctx, c)
	if err != nil {
		return nil, err
	}
	opened.Reason = reason
	suffix := ".retired-" + c.Now().UTC().Format("20060102T150405.000000000Z")
	for _, path := range []string{c.Dir, c.KeyFile, c.PublicKeyFile} {
		if err := os.Rename(path, path+suffix); ignoreMissing(err) != nil {
			return nil, fmt.Errorf("create audit log: %w", err)
		}
	}
	if err := makeLog(c, opened); err != nil {
		return nil, err
	}
	l, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	return l.firstCopy(ctx)
}

// prepare makes a log on first use, finishes a making that was cut short, and
// refuses where a log should be and is not. It reports whether it made one.
func prepare(ctx context.Context, c Config) (made bool, err error) {
	unlock, err := lockParent(ctx, c)
	if err != nil {
		return false, err
	}
	defer unlock()
	hasLog, err := holdsLog(c.Dir)
	if err != nil {
		return false, err
	}
	hasKey, err := exists(c.KeyFile)
	if err != nil {
		return false, err
	}
	hasPublic, err := exists(c.PublicKeyFile)
	if err != nil {
		return false, err
	}
	switch {
	case hasLog && hasKey:
		return false, nil
	case hasLog:
		// The key's rename is the last step of making a log.
		if signer, _, _, err := readKey(c.KeyFile + ".new"); err == nil && headIsBy(c.Dir, signer) {
			return false, renameSynced(c.KeyFile+".new", c.KeyFile)
		}
		return false, fmt.Errorf("%w: %s is there, %s is not", ErrKeyMissing, c.Dir, c.KeyFile)
	case hasKey:
		return false, fmt.Errorf("%w: its key %s is there, the log %s is not", ErrGone, c.KeyFile, c.Dir)
	case hasPublic:
		if making, err := exists(c.KeyFile + ".new"); err != nil || !making {
			return false, errors.Join(err, fmt.Errorf("%w: its public key %s is there, the log %s is not", ErrGone, c.PublicKeyFile, c.Dir))
		}
	}
	opened, err := predecessors(ctx, c)
	if err != nil {
		return false, err
	}
	if len(opened.Follows) > 0 {
		p := opened.Follows[0]
		return false, fmt.Errorf("%w: %s has a head of %s with %d entries, and there is nothing in %s (if that is another log, give this one a name of its own)", ErrGone, p.From, p.Origin, p.Size, c.Dir)
	}
	return true, makeLog(c, opened)
}

// holdsLog reports whether there is anything in the log's folder.
func holdsLog(dir string) (bool, error) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(names) > 0, err
}

func headIsBy(dir string, signer note.Signer) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	data, err := readFile(root, fileCheckpoint, maxHead)
	if err != nil {
		return false
	}
	h, err := openHead(data, strangers{})
	return errors.Is(err, errNotOurs) && h.Origin == signer.Name()
}

// strangers verifies nothing; openHead with it reads heads unverified.
type strangers struct{}

func (strangers) Name() string            { return "" }
func (strangers) KeyHash() uint32         { return 0 }
func (strangers) Verify(_, _ []byte) bool { return false }

// predecessors finds the newest heads of earlier logs of this name, in what is
// left of the folder and in the mirrors. They are not verified: the keys may be
// gone.
func predecessors(ctx context.Context, c Config) (Opened, error) {
	newest := map[string]Predecessor{}
	note := func(signed []byte, from string) {
		h, err := openHead(signed, strangers{})
		if !errors.Is(err, errNotOurs) || nameOf(h.Origin) != c.Name {
			return
		}
		if p, ok := newest[h.Origin]; !ok || p.Size < h.Size {
			newest[h.Origin] = Predecessor{h.Origin, h.Size, h.Root.String(), from}
		}
	}
	if root, err := os.OpenRoot(c.Dir); err == nil {
		defer root.Close()
		if data, err := readFile(root, fileHead, maxHead); err == nil {
			if signed, err := unpadHead(data); err == nil {
				note(signed, fileHead)
			}
		}
	}
	copies, err := latest(ctx, c)
	if err != nil {
		return Opened{}, err
	}
	for _, m := range copies {
		note(m.Note, m.Where)
	}
	var o Opened
	for _, p := range newest {
		o.Follows = append(o.Follows, p)
	}
	slices.SortFunc(o.Follows, func(a, b Predecessor) int { return cmp.Compare(b.Size, a.Size) })
	return o, nil
}

// latest reads back the mirrors that can be read.
func latest(ctx context.Context, c Config) ([]mirror.Copy, error) {
	var copies []mirror.Copy
	for _, m := range c.Mirrors {
		r, ok := m.(LatestReader)
		if !ok {
			continue
		}
		more, err := r.Latest(ctx)
		if err != nil {
			return nil, fmt.Errorf("read mirrored heads from %s: %w", m, err)
		}
		copies = append(copies, more...)
	}
	return copies, nil
}

// makeLog makes an empty log's files, then its key, and puts them in place one
// after the other, the private key last. The first entry follows in open.
func makeLog(c Config, o Opened) error {
	private, public, err := newKey(c.Name)
	if err != nil {
		return fmt.Errorf("make audit key: %w", err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		return fmt.Errorf("make audit key: %w", err)
	}
	o.Origin = signer.Name()
	for _, dir := range []string{filepath.Dir(c.KeyFile), filepath.Dir(c.PublicKeyFile)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make audit log: %w", err)
		}
	}
	if err := writeSynced(c.KeyFile+".new", private+"\n", 0o600); err != nil {
		return err
	}
	if err := writeSynced(c.PublicKeyFile, public+"\n", 0o644); err != nil {
		return err
	}
	staged := c.Dir + ".new"
	if err := os.RemoveAll(staged); err != nil {
		return fmt.Errorf("make audit log: %w", err)
	}
	if err := os.Mkdir(staged, 0o700); err != nil {
		return fmt.Errorf("make audit log: %w", err)
	}
	if err := fill(staged, c, signer, o); err != nil {
		return fmt.Errorf("make audit log: %w", err)
	}
	if err := renameSynced(staged, c.Dir); err != nil {
		return err
	}
	return renameSynced(c.KeyFile+".new", c.KeyFile)
}

// fill writes a log of one entry.
func fill(dir string, c Config, signer note.Signer, o Opened) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	empty := compact{}
	base, err := sign(signer, 0, empty.root())
	if err != nil {
		return err
	}
	first, err := seal(palisade.Event{Kind: KindOpened, Time: c.Now(), Data: o}, c)
	if err != nil {
		return err
	}
	b, _, _, err := makeBatch([]sealed{first}, &state{}, signer)
	if err != nil {
		return err
	}
	journal := appendFrame(nil, typeHeader, base.Note)
	journal = appendFrame(journal, typeBatch, b.encode())
	files := []struct {
		name string
		data []byte
	}{{fileLock, nil}, {fileCheckpoint, base.Note}, {fileJournal, journal}, {fileHead, padHead(b.head)}}
	for _, f := range files {
		if err := writeFile(root, f.name, f.data); err != nil {
			return err
		}
	}
	return syncDirs(root, []string{fileHead})
}

// lockParent keeps two processes from making the same log at once.
func lockParent(ctx context.Context, c Config) (func(), error) {
	parent := filepath.Dir(c.Dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make audit log: %w", err)
	}
	f, err := os.Open(parent)
	if err != nil {
		return nil, fmt.Errorf("make audit log: %w", err)
	}
	if err := flock(ctx, f, c.LockTimeout); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

func writeSynced(path, text string, mode fs.FileMode) error {
	if err := os.Remove(path); ignoreMissing(err) != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func renameSynced(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
