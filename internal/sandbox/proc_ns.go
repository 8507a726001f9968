package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// OwnNamespaces names those namespaces of a process, of the kinds asked for,
// that are not this process's.
func OwnNamespaces(pid int, kinds ...string) []string {
	var own []string
	for _, kind := range kinds {
		theirs, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "ns", kind))
		ours, err2 := os.Readlink("/proc/self/ns/" + kind)
		if err == nil && err2 == nil && theirs != ours {
			own = append(own, kind)
		}
	}
	return own
}

// OnlyLoopback reports whether a process's network has nothing but a loopback
// device: two lines of titles, one device.
func OnlyLoopback(pid int) bool {
	data, err := ReadKernel(filepath.Join("/proc", strconv.Itoa(pid), "net/dev"))
	if err != nil {
		return false
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return len(lines) <= 3 && (len(lines) < 3 || strings.HasPrefix(strings.TrimSpace(lines[2]), "lo:"))
}
