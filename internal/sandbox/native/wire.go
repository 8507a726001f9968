package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"palisade/internal/sandbox"
	"palisade/internal/sandbox/packet"
)

// The host talks with a zygote, and with each box until its program starts, in
// packets (see package packet). One to them is a list of fields, one
// from them a letter and what belongs to it:
//
//	F text      it failed
//	P           parked; descriptors of the box's first process, of the one that
//	            will be the program's, of its scratch, and of the calls that the
//	            host is told of
//	S n         the job's bounds are in force; n is Landlock's version, 0 for none
//	E status    how the program's process ended, from the box's first process:
//	            as wait(2) tells it, 4 bytes, big-endian

// send sends a packet of fields, and descriptors beside it.
func send(c *net.UnixConn, files []*os.File, fields ...string) error {
	var data []byte
	for _, f := range fields {
		data = binary.BigEndian.AppendUint32(data, uint32(len(f)))
		data = append(data, f...)
	}
	return packet.Write(c, data, files)
}

// receive reads a packet: its kind, what belongs to it, and its descriptors, which
// are the caller's to close. The end of the other side is io.EOF.
func receive(c *net.UnixConn) (kind byte, text string, fds []int, err error) {
	data, fds, err := packet.Read(c)
	if err == nil && data[0] == 'F' {
		err = errors.New(strconv.QuoteToASCII(string(data[1:])))
	}
	if err != nil {
		packet.CloseFDs(fds)
		return 0, "", nil, err
	}
	return data[0], string(data[1:]), fds, nil
}

// expect reads a packet of one kind.
func expect(c *net.UnixConn, want byte) (text string, fds []int, err error) {
	kind, text, fds, err := receive(c)
	if err == nil && kind != want {
		packet.CloseFDs(fds)
		return "", nil, fmt.Errorf("a packet of kind %q", kind)
	}
	return text, fds, err
}

// pidOf returns the number, in this namespace, of the process that a pidfd stands
// for: the line Pid of its fdinfo, see pidfd_open(2).
func pidOf(fd int) (int, error) {
	data, err := sandbox.ReadKernel("/proc/self/fdinfo/" + strconv.Itoa(fd))
	if err != nil {
		return 0, err
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if text, ok := strings.CutPrefix(line, "Pid:"); ok {
			if pid, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && pid > 0 {
				return pid, nil
			}
		}
	}
	return 0, os.ErrProcessDone
}
