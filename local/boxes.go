package local

import (
	"context"
	"errors"
	"slices"
	"time"

	"palisade/internal/config"
	"palisade/internal/policy"
	"palisade/internal/rootfs"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/gvisor"
	"palisade/internal/sandbox/native"
)

// interpreted is a back-end that tells what Python it has.
type interpreted interface {
	sandbox.Backend
	Python() rootfs.Python
}

// newRouter knows every back-end that there is. None is started by it.
func newRouter(c Config, cfg *config.Config, ways sandbox.Egress) *sandbox.Router {
	return sandbox.NewRouter(map[string]func(context.Context) (sandbox.Backend, error){
		gvisor.Backend: func(ctx context.Context) (sandbox.Backend, error) { return openGVisor(ctx, c, cfg, ways) },
		native.Backend: func(ctx context.Context) (sandbox.Backend, error) { return openNative(ctx, c, cfg, ways) },
	})
}

func openGVisor(ctx context.Context, c Config, cfg *config.Config, ways sandbox.Egress) (sandbox.Backend, error) {
	made := boxes(c, cfg)
	made.Egress, made.Pool = ways, pool(c, cfg.Sandbox.Pool)
	return gvisor.New(ctx, made)
}

// boxes says how boxes under gVisor are made, and of what.
func boxes(c Config, cfg *config.Config) gvisor.Config {
	return gvisor.Config{
		StateDir: cfg.Sandbox.State, Images: cfg.Sandbox.Images, Logger: c.logger(), Now: time.Now,
		Python: cfg.Runtime.Python, Shell: cfg.Runtime.Shell.Path, Commands: cfg.Runtime.Shell.Commands, Node: cfg.Runtime.Node.Path,
	}
}

func openNative(ctx context.Context, c Config, cfg *config.Config, ways sandbox.Egress) (sandbox.Backend, error) {
	return native.New(ctx, native.Config{
		StateDir: cfg.Sandbox.State, Images: cfg.Sandbox.Images, Logger: c.logger(), Now: time.Now,
		Egress: ways, Pool: pool(c, cfg.Sandbox.Pool),
		Python: cfg.Runtime.Python, Shell: cfg.Runtime.Shell.Path, Commands: cfg.Runtime.Shell.Commands, Node: cfg.Runtime.Node.Path,
	})
}

// openFirst opens the back-end that the default profile would use, so that what
// this machine lacks is found at the start, and tells what Python it has.
func openFirst(ctx context.Context, r *sandbox.Router, set *policy.Set) (rootfs.Python, error) {
	p, err := set.Profile(set.Default())
	if err != nil {
		return rootfs.Python{}, err
	}
	var errs []error
	for _, name := range p.Isolation.Backends {
		b, err := r.Backend(ctx, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		return b.(interpreted).Python(), nil //nolint:forcetypeassert // every one of newRouter's is
	}
	return rootfs.Python{}, errors.Join(errs...)
}

// backendsOf names the back-ends that any profile names.
func backendsOf(set *policy.Set) (names []string) {
	for _, name := range set.Names() {
		if p, err := set.Profile(name); err == nil {
			names = append(names, p.Isolation.Backends...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
