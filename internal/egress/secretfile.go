package egress

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Bounds of a credential, in bytes: what is shorter would be found in every
// answer, what is longer goes into no header.
const (
	minSecret = 8
	maxSecret = 8 << 10
)

// read returns the value, from a file that nobody but its owner may read. It is
// read for each run, so that a new value counts at once.
func (s Secret) read() (string, error) {
	f, err := os.OpenFile(s.File, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe must not hang
	if err != nil {
		return "", fmt.Errorf("secret %s: %w", s.Name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("secret %s: %w", s.Name, err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("secret %s: %s is not a file", s.Name, s.File)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("secret %s: others may read %s (mode %04o): chmod 600 it", s.Name, s.File, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSecret+2))
	if err != nil {
		return "", fmt.Errorf("secret %s: %w", s.Name, err)
	}
	value := bytes.TrimRight(data, "\r\n")
	switch {
	case len(value) < minSecret || len(value) > maxSecret:
		return "", fmt.Errorf("secret %s: %s holds %d bytes; a credential has from %d to %d", s.Name, s.File, len(value), minSecret, maxSecret)
	case bytes.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("secret %s: %s holds a control character or more than one line", s.Name, s.File)
	}
	return string(value), nil
}
