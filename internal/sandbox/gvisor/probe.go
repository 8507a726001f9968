package gvisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"palisade"
	"palisade/internal/sandbox"
)

// Check is one thing that a host has or lacks.
type Check struct {
	Name string
	OK   bool
	// Detail says what was found, and where something is lacking, how to get it.
	Detail string
}

// Probe looks at what the host has for boxes. Nothing is run; whether a box
// starts is for [Sandbox.Try] to say.
func Probe() []Check {
	checks := []Check{
		{Name: "architecture", OK: runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64", Detail: runtime.GOARCH},
		{Name: "build", OK: canMakeBoxes() == nil, Detail: "without cgo"},
		probeNamespaces(),
		probeSeccomp(),
		probeGroups(),
		probeState(),
	}
	if err := canMakeBoxes(); err != nil {
		checks[1].Detail = err.Error()
	}
	return checks
}

// probeNamespaces reads the switches that keep a user from making user
// namespaces: Debian's, the kernel's, and Ubuntu's AppArmor restriction.
func probeNamespaces() Check {
	c := Check{Name: "user namespaces"}
	for _, s := range []struct{ file, bad, fix string }{
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
			"Ubuntu lets only programs with an AppArmor profile make user namespaces: install one for this program (flags=(unconfined), with the rule \"userns,\"), or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"},
	} {
		data, err := os.ReadFile(s.file)
		if err != nil || strings.TrimSpace(string(data)) != s.bad {
			continue
		}
		if os.Geteuid() == 0 && s.file != "/proc/sys/user/max_user_namespaces" {
			continue // root may all the same
		}
		c.Detail = s.file + " is " + s.bad + "; " + s.fix
		return c
	}
	if _, err := os.Stat("/proc/self/ns/user"); err != nil {
		c.Detail = "the kernel has none (CONFIG_USER_NS)"
		return c
	}
	c.OK, c.Detail = true, "available"
	return c
}

func probeSeccomp() Check {
	_, err := os.Stat("/proc/sys/kernel/seccomp/actions_avail")
	if err != nil {
		return Check{Name: "seccomp", Detail: "the kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)"}
	}
	return Check{Name: "seccomp", OK: true, Detail: "available"}
}

// probeGroups makes control groups and removes them again.
func probeGroups() Check {
	c := Check{Name: "control groups"}
	parent, err := os.MkdirTemp("", "palisade-probe-")
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	defer func() { _ = os.RemoveAll(parent) }()
	h, err := sandbox.NewHome(parent)
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	groups, err := sandbox.NewCgroups(h)
	if err != nil {
		c.Detail = fmt.Sprintf("memory will be watched instead of bounded (layer memory: watched): %v", err)
		return c
	}
	if err := groups.Close(); err != nil {
		c.Detail = err.Error()
		return c
	}
	c.OK, c.Detail = true, fmt.Sprintf("version %d", groups.Version())
	return c
}

func probeState() Check {
	dir := sandbox.DefaultStateDir()
	for p := dir; ; p = filepath.Dir(p) {
		info, err := os.Stat(p)
		if errors.Is(err, os.ErrNotExist) && p != "/" {
			continue
		}
		if err == nil && info.IsDir() {
			return Check{Name: "state directory", OK: true, Detail: dir}
		}
		return Check{Name: "state directory", Detail: fmt.Sprintf("%s: %v", p, err)}
	}
}

// Try starts one box of a language with a program that does nothing, and returns
// what was in force around it.
func (s *Sandbox) Try(ctx context.Context, l palisade.Language) (palisade.Ready, error) {
	return sandbox.Try(Backend, l, func(job palisade.Job) (palisade.Result, error) {
		root, err := s.rootOf(ctx, job)
		if err != nil {
			return palisade.Result{}, err
		}
		b, err := s.newBox(ctx, root, job)
		if err != nil {
			return palisade.Result{}, err
		}
		r, err := b.run(ctx)
		return r, errors.Join(err, b.close())
	})
}
