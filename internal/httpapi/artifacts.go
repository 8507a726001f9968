package httpapi

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"palisade"
)

// Artifacts keeps the files that programs leave, for whoever may see their runs:
// a folder for each run, a file for each content. Nobody but the gate's user can
// read them.
type Artifacts struct {
	root *os.Root
	// age and size bound what is kept.
	age  time.Duration
	size int64
	now  func() time.Time

	mu   sync.Mutex
	held int64
}

// Defaults of what is kept of artifacts.
const (
	DefaultArtifactAge  = 24 * time.Hour
	DefaultArtifactSize = 1 << 30 // bytes
)

// OpenArtifacts opens the folder, made with mode 0700 on first use. Files are
// deleted when they are older than age, and the oldest runs' first when all are
// larger than size bytes; zero is the default.
func OpenArtifacts(dir string, age time.Duration, size int64, now func() time.Time) (*Artifacts, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("artifacts: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return nil, errors.Join(err, fmt.Errorf("artifacts: %s: want a folder that only its owner can enter (chmod 700)", dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("artifacts: %w", err)
	}
	a := &Artifacts{root: root, age: age, size: size, now: now}
	if a.age <= 0 {
		a.age = DefaultArtifactAge
	}
	if a.size <= 0 {
		a.size = DefaultArtifactSize
	}
	return a, errors.Join(a.Sweep())
}

// Close releases the folder.
func (a *Artifacts) Close() error { return a.root.Close() }

// keep writes the files of an outcome.
func (a *Artifacts) keep(out palisade.Outcome) error {
	if len(out.Artifacts) == 0 {
		return nil
	}
	if err := a.root.Mkdir(out.Run, 0o700); err != nil {
		return fmt.Errorf("keep artifacts: %w", err)
	}
	var sum int64
	for _, one := range out.Artifacts {
		err := a.root.WriteFile(filepath.Join(out.Run, hex.EncodeToString(one.Digest[:])), one.Data, 0o600)
		if err != nil {
			return fmt.Errorf("keep artifacts: %w", err)
		}
		sum += int64(len(one.Data))
	}
	a.mu.Lock()
	a.held += sum
	full := a.held > a.size
	a.mu.Unlock()
	if full {
		return a.Sweep()
	}
	return nil
}

// read returns a file's content; fs.ErrNotExist where it is no longer kept.
func (a *Artifacts) read(run string, d palisade.Digest) ([]byte, error) {
	return a.root.ReadFile(filepath.Join(run, hex.EncodeToString(d[:])))
}

// Sweep deletes what is too old or too much.
func (a *Artifacts) Sweep() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	type folder struct {
		name string
		at   time.Time
		size int64
	}
	names, err := fs.ReadDir(a.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("sweep artifacts: %w", err)
	}
	var all []folder
	a.held = 0
	for _, entry := range names {
		info, err := entry.Info()
		if err != nil {
			continue // gone meanwhile
		}
		one := folder{name: entry.Name(), at: info.ModTime()}
		files, _ := fs.ReadDir(a.root.FS(), one.name)
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				one.size += info.Size()
			}
		}
		a.held += one.size
		all = append(all, one)
	}
	slices.SortFunc(all, func(x, y folder) int { return x.at.Compare(y.at) })
	for _, one := range all {
		if a.held <= a.size && a.now().Sub(one.at) <= a.age {
			continue
		}
		if err := a.root.RemoveAll(one.name); err != nil {
			return fmt.Errorf("sweep artifacts: %w", err)
		}
		a.held -= one.size
	}
	return nil
}
