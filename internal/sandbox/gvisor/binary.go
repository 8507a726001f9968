package gvisor

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// binaryID identifies this program's own file, which is the box's kernel. The
// Go linker's build ID ends with a hash of the program's content; a program
// without one is hashed whole, which takes tens of milliseconds.
func binaryID() (string, error) {
	f, err := os.Open(selfExe)
	if err != nil {
		return "", fmt.Errorf("identify this program: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if id := buildID(f); id != "" {
		_, _ = io.WriteString(h, id)
	} else if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("identify this program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// buildID reads the note that the Go linker writes (cmd/internal/buildid): three
// words, the name "Go", the ID.
func buildID(f io.ReaderAt) string {
	file, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	section := file.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	const head = 3*4 + 4
	if err != nil || len(note) < head {
		return ""
	}
	size := int(binary.LittleEndian.Uint32(note[4:]))
	if size <= 0 || size > len(note)-head {
		return ""
	}
	return string(note[head : head+size])
}
