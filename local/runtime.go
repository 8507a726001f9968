package local

import (
	"context"

	"palisade"
	"palisade/internal/rootfs"
	"palisade/internal/sandbox/gvisor"
)

// BuildRuntime makes what boxes of a language are made of, unless it stands
// already, and verifies it. An error says what the host lacks.
func BuildRuntime(ctx context.Context, c Config, l palisade.Language) (rootfs.Listed, error) {
	cfg, err := Settings(c)
	if err != nil {
		return rootfs.Listed{}, err
	}
	img, err := gvisor.Runtime(ctx, boxes(c, cfg), l)
	if err != nil {
		return rootfs.Listed{}, err
	}
	defer func() { _ = img.Close() }()
	all, err := rootfs.List(cfg.Sandbox.Images)
	if err != nil {
		return rootfs.Listed{}, err
	}
	for _, one := range all {
		if one.File == img.File {
			return one, img.Verify()
		}
	}
	return rootfs.Listed{}, img.Verify()
}

// Runtimes lists what stands.
func Runtimes(c Config) ([]rootfs.Listed, error) {
	cfg, err := Settings(c)
	if err != nil {
		return nil, err
	}
	return rootfs.List(cfg.Sandbox.Images)
}
