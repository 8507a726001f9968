package gvisor

import (
	"context"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/rootfs"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/roots"
)

// root is what the boxes of one language are made of: one image.
type root struct {
	image *rootfs.Image
	start lang.Start
}

// newRoots returns the roots of this back-end, none of which is made yet.
func (c Config) newRoots() *roots.Set {
	return roots.New(roots.Config{
		Images: c.Images, Python: c.Python, Shell: c.Shell, Node: c.Node, Commands: c.Commands, Open: rootfs.Open,
	})
}

// Runtime makes the root of a language's boxes where there is none, and describes
// it. The caller closes it. An error says what the host lacks and how to get it.
func Runtime(ctx context.Context, c Config, l palisade.Language) (*rootfs.Image, error) {
	made, err := c.newRoots().Open(ctx, l)
	return made.Image, err
}

// openRoot returns the root of a language's boxes, making it where there is none.
func (s *Sandbox) openRoot(ctx context.Context, l palisade.Language) (root, error) {
	r, err := s.roots.Open(ctx, l)
	return root{r.Image, r.Start}, err
}

// withExit returns the root of a box that has a way out, whose relay is the
// harness's.
func (r root) withExit() root {
	r.start.Processes += sandbox.RelayThreads
	return r
}

// runs reports why a start is not possible under what a verdict denies.
func (r root) runs(l palisade.Language, denied []string) error {
	return roots.Root{Image: r.image, Start: r.start}.Runs(l, denied)
}
