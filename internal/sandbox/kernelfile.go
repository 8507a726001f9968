package sandbox

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// ReadKernel reads a file that the kernel makes up as it is read, as those of /proc
// and of control groups are. An [os.File] would first find out whether it can be
// waited for: ten system calls instead of four, for a dozen files a run.
func ReadKernel(name string) ([]byte, error) {
	fd, err := openKernel(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }() // it was only read
	data := make([]byte, 0, 2048)
	for {
		n, err := again(func() (int, error) { return unix.Read(fd, data[len(data):cap(data)]) })
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if n == 0 {
			return data, nil
		}
		data = data[:len(data)+n]
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)] // more room
		}
	}
}

// writeKernel writes such a file, which must be there, at once.
func writeKernel(name, value string) error {
	fd, err := openKernel(name, unix.O_WRONLY|unix.O_TRUNC)
	if err != nil {
		return err
	}
	if _, err = again(func() (int, error) { return unix.Write(fd, []byte(value)) }); err != nil {
		err = &fs.PathError{Op: "write", Path: name, Err: err}
	}
	return errors.Join(err, unix.Close(fd))
}

func openKernel(name string, flags int) (int, error) {
	fd, err := again(func() (int, error) { return unix.Open(name, flags|unix.O_CLOEXEC, 0) })
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return fd, nil
}

// again repeats a call that a signal interrupted, as the runtime's own do.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
