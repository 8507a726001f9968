package yamlfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrWritable says that anyone on the machine could change the file.
var ErrWritable = errors.New("the file is writable by everyone: chmod o-w it")

// Read returns the bytes of a regular file of at most [MaxBytes]. A file that
// everyone may write is refused: whoever writes it decides what runs.
func Read(path string) ([]byte, error) {
	// Without O_NONBLOCK, opening a named pipe would wait for its writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: not a regular file", path)
	case info.Mode().Perm()&0o002 != 0:
		return nil, fmt.Errorf("read %s: %w", path, ErrWritable)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("read %s: the file is larger than %s", path, FormatSize(MaxBytes))
	}
	return data, nil
}
