package rootfs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"palisade"
)

// Listed is an image that stands in a folder of images.
type Listed struct {
	Kind    string
	File    string
	Size    int64
	Digest  palisade.Digest
	Built   time.Time
	Python  Python
	Program Program
	// Current tells that the host's files are still those that went in: if not,
	// the next start builds another.
	Current bool

	manifest manifest
	dir      string
}

// List returns the images in a folder. What is no image of ours is left out.
func List(dir string) ([]Listed, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Listed
	for _, e := range entries {
		asked, isManifest := strings.CutSuffix(e.Name(), ".json")
		if !isManifest {
			continue
		}
		var m manifest
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || json.Unmarshal(data, &m) != nil || m.Format != format || m.Asked != asked {
			continue
		}
		l := Listed{
			Kind: kindOf(m.Image), File: filepath.Join(dir, filepath.Base(m.Image)), Size: m.Size, Digest: m.Digest,
			Python: m.Python, Program: m.Program, Current: m.current(), manifest: m, dir: dir,
		}
		info, err := os.Stat(l.File)
		if err != nil {
			continue
		}
		l.Built = info.ModTime()
		all = append(all, l)
	}
	return all, nil
}

// Verify holds every byte of the image to its digest.
func (l Listed) Verify() error {
	img, err := l.manifest.hold(l.dir)
	if err != nil {
		return err
	}
	return errors.Join(img.Verify(), img.Close())
}

// current reports whether nothing that went into the image changed on the host.
func (m manifest) current() bool {
	for p, at := range m.Watched {
		info, err := os.Lstat(p)
		if err != nil || info.ModTime().UnixNano() != at {
			return false
		}
	}
	return true
}
