package native

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"palisade/internal/sandbox"
)

// layers says what is in force around this very box, as the host observes it
// just before go. A layer that cannot be observed is not named. The names are
// explained in this package's documentation.
func (r *run) layers(ctx context.Context) (map[string]string, error) {
	found := maps.Clone(r.around)
	maps.Copy(found, map[string]string{
		"kernel": "host", "wall": "host", "output": "host", "cpu": "watched", "memory": "watched", "processes": "rlimit",
	})
	if found["network"] == "none" && r.way.exit != nil {
		found["network"] = "proxy"
	}
	select {
	case text := <-r.settled:
		if text != "0" {
			// The box's own word, given before it had heard of a program.
			found["landlock"] = "yes"
		}
		if r.seen.reads.Load() {
			found["events"] = "kernel"
		}
	case <-r.dead:
		return nil, errors.New("the box ended")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err := r.observeProcess(found); err != nil {
		return nil, fmt.Errorf("the box's process: %w", err)
	}
	return found, r.observeGroup(found)
}

// observeProcess reads what confines the process that the program will be in,
// and the first one.
func (r *run) observeProcess(found map[string]string) error {
	for _, pid := range []int{r.initPID, r.pid} {
		status, err := sandbox.StatusOf(pid)
		if err != nil {
			return err
		}
		caps := strings.Trim(status["CapEff"]+status["CapPrm"]+status["CapInh"]+status["CapBnd"]+status["CapAmb"], "0")
		if _, ok := status["CapEff"]; !ok || caps != "" || status["Seccomp"] != "2" || status["NoNewPrivs"] != "1" {
			return fmt.Errorf("process %d has capabilities %q, seccomp %s, no_new_privs %s", pid, caps, status["Seccomp"], status["NoNewPrivs"])
		}
		ids := slices.Concat(strings.Fields(status["Uid"]), strings.Fields(status["Gid"]))
		if slices.Contains(ids, "0") || len(ids) != 8 {
			return fmt.Errorf("process %d has users and groups %v", pid, ids)
		}
	}
	found["capabilities"], found["syscalls"], found["no_new_privs"] = "none", "seccomp", "yes"
	found["host_uid"] = "unprivileged"
	return nil
}

// surroundings reads what is around a parked box and cannot change any more.
func (b *box) surroundings() (map[string]string, error) {
	found := map[string]string{"start": "cold"}
	if b.zygote.warm {
		found["start"] = "forked"
	}
	own := sandbox.OwnNamespaces(b.pid, "cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
	if len(own) > 0 {
		found["namespaces"] = strings.Join(own, ",")
	}
	if slices.Contains(own, "net") && sandbox.OnlyLoopback(b.pid) {
		found["network"] = "none"
	}
	if err := b.observeMounts(found); err != nil {
		return nil, fmt.Errorf("the box's mounts: %w", err)
	}
	return found, nil
}

// observeMounts reads what the process sees of file systems.
func (b *box) observeMounts(found map[string]string) error {
	data, err := sandbox.ReadKernel(filepath.Join("/proc", strconv.Itoa(b.pid), "mountinfo"))
	if err != nil {
		return err
	}
	at := map[string][]string{} // the last mount at each place is what is seen
	for line := range strings.Lines(string(data)) {
		// ID, parent, device, root, place, options, optional fields, "-", kind,
		// source, options: see proc_pid_mountinfo(5).
		fields := strings.Fields(line)
		dash := slices.Index(fields, "-")
		if len(fields) < 10 || dash < 6 || dash+3 > len(fields) {
			return errors.New("a line of mountinfo is cut")
		}
		at[fields[4]] = []string{fields[dash+1], fields[5]}
	}
	has := func(place, kind string, options ...string) bool {
		m := at[place]
		if len(m) != 2 || kind != "" && m[0] != kind {
			return false
		}
		set := strings.Split(m[1], ",")
		return !slices.ContainsFunc(options, func(o string) bool { return !slices.Contains(set, o) })
	}
	if has("/", "", "ro", "nosuid", "nodev") && has("/dev", "tmpfs", "ro", "nosuid") && has("/proc", "proc", "ro", "nosuid", "nodev", "noexec") {
		found["rootfs"] = "read-only"
	}
	if has("/work", "tmpfs", "nosuid", "nodev") && has("/tmp", "tmpfs", "nosuid", "nodev") {
		found["disk"], found["inodes"] = "tmpfs", "tmpfs"
	}
	return nil
}

// observeGroup reads the box's control group: that its processes are in it and
// what bounds them.
func (r *run) observeGroup(found map[string]string) error {
	if r.group == nil {
		return nil
	}
	members := r.group.Processes()
	for _, pid := range []int{r.initPID, r.pid} { // there are no others yet
		if !slices.Contains(members, pid) {
			return fmt.Errorf("process %d of the box is not in its control group", pid)
		}
	}
	bounded, err := r.group.Bounded()
	if err != nil {
		return err
	}
	if bounded {
		found["memory"] = "cgroup"
	}
	found["cpu"], found["processes"] = "cgroup", "cgroup"
	return nil
}
