package gvisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"palisade/internal/events"
)

// A meter is one page in a file that a box's kernel and the host both map. The
// kernel counts in it how often it refused a call because of a limit. It
// survives the box, costs the kernel one addition, and cannot block it. Behind it
// in the file is the region that events are recorded in.

// meterSize is the size of a meter in bytes.
const meterSize = 4096

// meterFile is the size of a meter's file.
const meterFile = meterSize + events.Size

// meterMagic is written by the box's kernel when its guard is in force.
const meterMagic = 0x9a115ade

// Words of a meter.
const (
	wordMagic = iota
	wordProcesses
	wordFiles
	wordDisk
	wordInodes
	wordMemory
	wordFixed // meterMagic: chance and clock are fixed
	meterWords
)

// meteredLimits are the limits that a meter counts refusals of.
func meteredLimits() map[int]string {
	return map[int]string{
		wordProcesses: "processes", wordFiles: "files", wordDisk: "disk",
		wordInodes: "inodes", wordMemory: "memory",
	}
}

// makeMeter makes a meter's file for a box.
func makeMeter(path string) error {
	return os.WriteFile(path, make([]byte, meterFile), 0o600)
}

// readMeter returns the words of a meter.
func readMeter(path string) ([meterWords]uint64, error) {
	var words [meterWords]uint64
	f, err := os.Open(path)
	if err != nil {
		return words, fmt.Errorf("the box's meter: %w", err)
	}
	defer f.Close()
	var page [meterWords * 8]byte
	if _, err := f.ReadAt(page[:], 0); err != nil {
		return words, fmt.Errorf("the box's meter: %w", err)
	}
	for i := range words {
		words[i] = binary.NativeEndian.Uint64(page[i*8:])
	}
	return words, nil
}

// errNoGuard says that a box's kernel does not hold the limits that only it can.
var errNoGuard = errors.New("the box's kernel did not put its guard in force")

// meter is the kernel's side.
type meter struct{ page []byte }

// mapMeter maps a meter's file.
func mapMeter(fd int) (*meter, error) {
	page, err := unix.Mmap(fd, 0, meterFile, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the meter: %w", err)
	}
	return &meter{page}, nil
}

func (m *meter) word(i int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&m.page[i*8]))
}
