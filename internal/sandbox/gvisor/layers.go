package gvisor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"palisade/internal/sandbox"
)

// layers says what is in force around this very box, as the host observes it
// just before go. A layer that cannot be observed is not named. The names are
// explained in this package's documentation.
func (b *box) layers(context.Context) (map[string]string, error) {
	words, err := b.guardWords()
	if err != nil {
		return nil, err
	}
	if err := b.recorded(); err != nil {
		return nil, err
	}
	found := map[string]string{
		// That the guard is in force was read from the box's meter; it runs
		// in no other kernel.
		"kernel": "gvisor-systrap",
		// From the box's description, which that kernel was given.
		"no_new_privs": "yes",
		// So does the same guard, which refuses the verdict's calls and tells.
		"syscalls": "guard",
		"events":   "kernel",
		"disk":     "tmpfs",
		"inodes":   "guard",
		"wall":     "host",
		"output":   "host",
		"cpu":      "watched",
		"memory":   "watched",
		"start":    "cold",
	}
	if words[wordFixed] == meterMagic {
		maps.Copy(found, fixedLayers())
	}
	if b.from.image != "" {
		found["start"] = "restored"
	}
	maps.Copy(found, b.confined)
	if b.confined == nil {
		if err := b.observeKernel(found); err != nil {
			return nil, err
		}
	}
	if b.exit != nil && found["network"] == "none" {
		found["network"] = "proxy"
	}
	return found, b.observeGroup(found)
}

// observeKernel adds what confines the box's kernel, and its root.
func (b *box) observeKernel(found map[string]string) error {
	if err := b.observeSentry(found); err != nil {
		return fmt.Errorf("the box's kernel: %w", err)
	}
	if b.rootIsImage() {
		// From the box's description, too.
		found["rootfs"] = "read-only"
	}
	return nil
}

// observeSentry reads what confines the sentry, the process that a guest would
// find itself in if it broke out of its kernel.
func (b *box) observeSentry(found map[string]string) error {
	status, err := sandbox.StatusOf(b.pid)
	if err != nil {
		return err
	}
	if status["Seccomp"] == "2" {
		found["sentry_seccomp"] = "filter"
	}
	if status["NoNewPrivs"] == "1" {
		found["sentry_no_new_privs"] = "yes"
	}
	caps := strings.Trim(status["CapEff"]+status["CapPrm"]+status["CapInh"]+status["CapBnd"]+status["CapAmb"], "0")
	if _, ok := status["CapEff"]; ok && caps == "" {
		found["sentry_capabilities"] = "none"
	}
	if ids := strings.Fields(status["Uid"]); len(ids) == 4 && len(slices.Compact(ids)) == 1 {
		found["sentry_uid"] = ids[0]
	}
	own := sandbox.OwnNamespaces(b.pid, "ipc", "mnt", "net", "pid", "user", "uts")
	if slices.Contains(own, "net") && sandbox.OnlyLoopback(b.pid) {
		found["network"] = "none"
	}
	if len(own) > 0 {
		found["namespaces"] = strings.Join(own, ",")
	}
	if holdsOnly(filepath.Join("/proc", strconv.Itoa(b.pid), "root"), ownMaps) {
		found["sentry_root"] = "empty"
	}
	return nil
}

// holdsOnly reports whether a directory holds one file at a path, and nothing
// beside the way to it.
func holdsOnly(dir, path string) bool {
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || entries[0].Name() != part {
			return false
		}
		dir = filepath.Join(dir, part)
	}
	info, err := os.Lstat(dir)
	return err == nil && info.Mode().IsRegular()
}

// rootIsImage reports whether the sentry has the box's image open, and only for
// reading.
func (b *box) rootIsImage() bool {
	want, err := b.root.image.Stat()
	if err != nil {
		return false
	}
	dir := filepath.Join("/proc", strconv.Itoa(b.pid))
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false
	}
	open := false
	for _, fd := range fds {
		info, err := os.Stat(filepath.Join(dir, "fd", fd.Name()))
		if err != nil || !os.SameFile(info, want) {
			continue
		}
		data, err := sandbox.ReadKernel(filepath.Join(dir, "fdinfo", fd.Name()))
		if err != nil || !readOnly(string(data)) {
			return false
		}
		open = true
	}
	return open
}

// readOnly reads the access mode of a descriptor: the last octal digit's low two
// bits of flags in fdinfo, see proc(5).
func readOnly(fdinfo string) bool {
	for line := range strings.SplitSeq(fdinfo, "\n") {
		if text, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(text), 8, 64)
			return err == nil && flags&3 == 0
		}
	}
	return false
}

// observeGroup reads the box's control group: that its processes are in it and
// what bounds them.
func (b *box) observeGroup(found map[string]string) error {
	if b.group == nil {
		return nil
	}
	members := b.group.Processes()
	for _, pid := range sandbox.Tree(b.pid) {
		if !slices.Contains(members, pid) && sandbox.Running(pid) {
			return fmt.Errorf("process %d of the box is not in its control group", pid)
		}
	}
	bounded, err := b.group.Bounded()
	if err != nil {
		return err
	}
	if bounded {
		found["memory"] = "cgroup"
	}
	found["cpu"], found["host_pids"] = "cgroup", "cgroup"
	return nil
}
