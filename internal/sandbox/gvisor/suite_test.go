package gvisor

import (
	"os"
	"testing"
	"time"

	"palisade"
	"palisade/internal/rootfs"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/sandboxtest"
)

// TestSuite is what every back-end must pass.
func TestSuite(t *testing.T) {
	sandboxtest.Run(t, func(t testing.TB) palisade.Sandbox { return newSandbox(t) }, suiteOptions())
}

// TestWarmSuite runs the same over boxes that were restored, all of them.
func TestWarmSuite(t *testing.T) {
	o := suiteOptions()
	o.Layers["start"] = "restored"
	o.Lacks = map[string]string{
		"determinism": "such a run starts cold",
		"hash seed":   "it belongs to the template",
	}
	sandboxtest.Run(t, func(t testing.TB) palisade.Sandbox { return newSandbox(t, warm) }, o)
}

// warm has every box restored, but those of deterministic runs.
func warm(c *Config) {
	c.Pool = &sandbox.PoolLimits{Size: 1, Making: 2, Templates: 100, After: 1, Await: true, Patience: time.Minute}
}

func suiteOptions() sandboxtest.Options {
	return sandboxtest.Options{
		Backend:   Backend,
		Languages: languages(),
		Layers: map[string]string{
			"kernel": "gvisor-systrap", "uid": "65534", "capabilities": "none", "no_new_privs": "yes",
			"rootfs": "read-only", "network": "none", "syscalls": "guard", "events": "kernel", "memory": "cgroup|watched",
			"sentry_seccomp": "filter", "sentry_capabilities": "none", "sentry_root": "empty",
			"namespaces": "ipc,mnt,net,pid,user,uts", "disk": "tmpfs", "inodes": "guard",
		},
	}
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
