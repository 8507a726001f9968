package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// userNamespaces checks what a sandbox without root needs.
func userNamespaces() diagnosis {
	d := diagnosis{Name: "user namespaces", Grade: good, Detail: "may be made"}
	blocked := func(detail, fix string) diagnosis {
		d.Grade, d.Detail, d.Fix = missing, detail, fix
		if os.Getuid() == 0 {
			d.Grade, d.Detail = weaker, detail+" (root does without; other users cannot run programs)"
		}
		return d
	}
	switch {
	case !exists("/proc/self/ns/user"):
		return blocked("this kernel has none", "use a kernel with CONFIG_USER_NS")
	case sysctl("user/max_user_namespaces") == "0":
		return blocked("user.max_user_namespaces is 0", "as root: sysctl -w user.max_user_namespaces=15000")
	case sysctl("kernel/unprivileged_userns_clone") == "0":
		return blocked("kernel.unprivileged_userns_clone is 0 (Debian's switch)", "as root: sysctl -w kernel.unprivileged_userns_clone=1")
	case sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1":
		return blocked("AppArmor restricts them (Ubuntu 23.10 and later)",
			"as root, for this binary alone: "+appArmorProfile()+"; or for all: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0")
	}
	return d
}

// appArmorProfile is the command that lets this binary, and only it, make user
// namespaces on Ubuntu.
func appArmorProfile() string {
	self, err := os.Executable()
	if err != nil {
		self = "/usr/local/bin/palisade"
	}
	return fmt.Sprintf(`printf 'abi <abi/4.0>,\nprofile palisade %s flags=(unconfined) { userns, }\n' > /etc/apparmor.d/palisade && apparmor_parser -r /etc/apparmor.d/palisade`, self)
}

// cgroups checks how memory and processes can be bounded.
func cgroups() diagnosis {
	d := diagnosis{Name: "cgroups", Grade: good}
	if os.Getuid() != 0 {
		d.Grade = weaker
		d.Detail = "not for this user: memory is bounded by address space and a watcher (layer memory=watched)"
		d.Fix = "policy accepts this by default; run as root for cgroups"
		return d
	}
	var fs unix.Statfs_t
	switch err := unix.Statfs("/sys/fs/cgroup", &fs); {
	case err != nil:
		d.Grade, d.Detail, d.Fix = weaker, "none mounted: memory is bounded by address space and a watcher", "mount -t cgroup2 none /sys/fs/cgroup"
	case fs.Type == unix.CGROUP2_SUPER_MAGIC:
		d.Detail = "version 2"
	case exists("/sys/fs/cgroup/memory/memory.limit_in_bytes"):
		d.Detail = "version 1"
	default:
		d.Grade, d.Detail, d.Fix = weaker, "no memory controller", "boot with cgroup_enable=memory"
	}
	return d
}

func seccomp() diagnosis {
	d := diagnosis{Name: "seccomp", Grade: good, Detail: "filters work"}
	if !strings.Contains(sysctl("kernel/seccomp/actions_avail"), "errno") {
		d.Grade, d.Detail, d.Fix = missing, "the kernel has no seccomp filters", "use a kernel with CONFIG_SECCOMP_FILTER"
	}
	return d
}

func landlock() diagnosis {
	// landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) returns the ABI: Landlock's own user-space documentation.
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return diagnosis{"landlock", good, "not in this kernel; the gVisor back-end does without, profiles that name native want it unless they say otherwise", ""}
	}
	return diagnosis{"landlock", good, fmt.Sprintf("ABI %d (for the native back-end)", abi), ""}
}

// sysctl reads a file below /proc/sys; what cannot be read is empty.
func sysctl(name string) string {
	data, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
