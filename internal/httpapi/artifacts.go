package httpapi

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"palisade"
)

// Artifacts keeps the files that programs leave, for whoever may see their runs:
// a folder for each tenant, in it one for each run, a file for each content. Nobody
// but the gate's user can read them.
type Artifacts struct {
	root *os.Root
	// age and size bound what is kept, share what is of one tenant.
	age         time.Duration
	size, share int64
	now         func() time.Time

	mu   sync.Mutex
	held holding
}

// Defaults of what is kept of artifacts.
const (
	DefaultArtifactAge  = 24 * time.Hour
	DefaultArtifactSize = 1 << 30 // bytes
)

// OpenArtifacts opens the folder, made with mode 0700 on first use. Files are
// deleted when they are older than age; when all are larger than size bytes, the
// oldest runs' of whoever has most; and when one tenant's are larger than three
// quarters of that, its own oldest. Zero is the default.
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
	a.share = max(1, a.size/4*3) // one tenant leaves room for others
	return a, a.Sweep()
}

// Close releases the folder.
func (a *Artifacts) Close() error { return a.root.Close() }

// keep writes the files of a tenant's outcome.
func (a *Artifacts) keep(tenant string, out palisade.Outcome) error {
	if len(out.Artifacts) == 0 {
		return nil
	}
	dir, err := a.folder(tenant, out.Run)
	if err != nil {
		return fmt.Errorf("keep artifacts: %w", err)
	}
	var sum int64
	for _, one := range out.Artifacts {
		err := a.root.WriteFile(filepath.Join(dir, hex.EncodeToString(one.Digest[:])), one.Data, 0o600)
		if err != nil {
			return fmt.Errorf("keep artifacts: %w", err)
		}
		sum += int64(len(one.Data))
	}
	a.mu.Lock()
	a.held.add(tenant, sum)
	full := a.held.all > a.size || a.held.of[tenant] > a.share
	a.mu.Unlock()
	if full {
		return a.Sweep()
	}
	return nil
}

// folder makes a run's folder. No sweep comes in between, which takes empty ones away.
func (a *Artifacts) folder(tenant, run string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.root.Mkdir(tenant, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	dir := filepath.Join(tenant, run)
	return dir, a.root.Mkdir(dir, 0o700)
}

// read returns a file's content; fs.ErrNotExist where it is no longer kept.
func (a *Artifacts) read(tenant, run string, d palisade.Digest) ([]byte, error) {
	return a.root.ReadFile(filepath.Join(tenant, run, hex.EncodeToString(d[:])))
}
