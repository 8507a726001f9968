package gvisor

import (
	"fmt"
	"strconv"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"palisade"
)

// boxUser is the unprivileged user and group of every program: nobody.
const boxUser = 65534

// scratchShare is the part of the disk limit that /work gets; /tmp gets the
// rest, so that both together hold what the limit says.
const (
	scratchParts = 4
	workParts    = 3
)

// spec returns the OCI description of a box.
func (s *Sandbox) spec(r root, l palisade.Limits) *specs.Spec {
	limit := func(name string, value uint64) specs.POSIXRlimit {
		return specs.POSIXRlimit{Type: name, Hard: value, Soft: value}
	}
	// The sentry rounds sizes up to pages.
	work := l.Disk / scratchParts * workParts
	return &specs.Spec{
		Version: specs.Version,
		Process: &specs.Process{
			User:            specs.User{UID: boxUser, GID: boxUser},
			Args:            append([]string{r.start.Path}, r.start.Args...),
			Env:             r.start.Env,
			Cwd:             "/work",
			Capabilities:    &specs.LinuxCapabilities{},
			NoNewPrivileges: true,
			Rlimits: []specs.POSIXRlimit{
				// Hard bounds. The harness sets the same before the program
				// starts, and open files, which it needs more of itself.
				limit("RLIMIT_NPROC", uint64(l.Processes+r.start.Processes)),
				limit("RLIMIT_NOFILE", bootOpenFiles),
				limit("RLIMIT_FSIZE", uint64(l.Disk)),
				limit("RLIMIT_CORE", 0),
			},
		},
		Root:     &specs.Root{Path: s.empty, Readonly: true},
		Hostname: "box",
		Mounts: []specs.Mount{
			{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"ro", "nosuid", "noexec", "nodev"}},
			{Destination: "/sys", Type: "sysfs", Source: "sysfs", Options: []string{"ro", "nosuid", "noexec", "nodev"}},
			scratch("/work", work),
			scratch("/tmp", l.Disk-work),
		},
		Annotations: map[string]string{
			"dev.gvisor.spec.rootfs.source": r.image.Source(),
			"dev.gvisor.spec.rootfs.type":   "erofs",
		},
		Linux: &specs.Linux{},
	}
}

// bootOpenFiles is what the harness may use: it moves its own descriptors up,
// out of the program's way, and then sets the program's limit.
const bootOpenFiles = 1024

func scratch(at string, size int64) specs.Mount {
	owner := strconv.Itoa(boxUser)
	return specs.Mount{
		Destination: at, Type: "tmpfs", Source: "tmpfs",
		Options: []string{"nosuid", "nodev", "mode=0700", "uid=" + owner, "gid=" + owner, fmt.Sprintf("size=%d", size)},
	}
}
