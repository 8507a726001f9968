package gvisor

import (
	"testing"

	"palisade"
	"palisade/internal/sandbox/sandboxtest"
)

// TestSuite is what every back-end must pass.
func TestSuite(t *testing.T) {
	sandboxtest.Run(t, func(t testing.TB) palisade.Sandbox { return newSandbox(t) }, sandboxtest.Options{
		Backend: Backend,
		Layers: map[string]string{
			"kernel": "gvisor-systrap", "uid": "65534", "capabilities": "none", "no_new_privs": "yes",
			"rootfs": "read-only", "network": "none", "seccomp": "oci", "memory": "cgroup|watched",
			"sentry_seccomp": "filter", "sentry_capabilities": "none", "sentry_root": "empty",
			"namespaces": "ipc,mnt,net,pid,user,uts", "disk": "tmpfs", "inodes": "guard",
		},
	})
}
