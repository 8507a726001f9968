package sandbox

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestReadKernel reads what os reads, however long it is, and tells what is missing.
func TestReadKernel(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 2047, 2048, 2049, 70_000} {
		name, want := filepath.Join(dir, "f"), bytes.Repeat([]byte("x\n"), size)[:size]
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadKernel(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
	for _, name := range []string{"/proc/self/mounts", "/proc/cpuinfo"} {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ReadKernel(name); err != nil || len(got) != len(want) {
			t.Errorf("%s: read %d bytes of %d, %v", name, len(got), len(want), err)
		}
	}
	if _, err := ReadKernel(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := ReadKernel(dir); err == nil {
		t.Error("a folder was read")
	}
	if err := writeKernel(filepath.Join(dir, "none"), "0"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("writing made the file")
	}
}
