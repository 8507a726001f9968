package native

import (
	"os"
	"testing"

	"palisade"
	"palisade/internal/rootfs"
	"palisade/internal/sandbox/sandboxtest"
)

// suiteOptions are what every native box has.
func suiteOptions() sandboxtest.Options {
	return sandboxtest.Options{
		Backend:   Backend,
		Languages: languages(),
		Lacks:     map[string]string{"determinism": "the host's kernel gives chance and time as they are"},
		Layers: map[string]string{
			"kernel": "host", "uid": "65534", "gid": "65534", "capabilities": "none", "no_new_privs": "yes", "host_uid": "unprivileged",
			"rootfs": "read-only", "network": "none", "syscalls": "seccomp", "events": "kernel", "memory": "cgroup|watched", "landlock": "yes",
			"namespaces": "cgroup,ipc,mnt,net,pid,user,uts", "disk": "tmpfs", "inodes": "tmpfs", "processes": "cgroup|rlimit", "start": "cold|forked",
		},
	}
}

// TestSuite is what every back-end must pass.
func TestSuite(t *testing.T) {
	sandboxtest.Run(t, func(t testing.TB) palisade.Sandbox { return newSandbox(t) }, suiteOptions())
}

// languages are those whose interpreters this host has.
func languages() (found []palisade.Language) {
	for l, file := range map[palisade.Language]string{
		palisade.Shell: rootfs.DefaultShell, palisade.JavaScript: rootfs.DefaultNode(), palisade.TypeScript: rootfs.DefaultNode(),
	} {
		if _, err := os.Stat(file); err == nil {
			found = append(found, l)
		}
	}
	return found
}
