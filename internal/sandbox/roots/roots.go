package roots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/rootfs"
)

// Config says what there is on the host.
type Config struct {
	// Images holds roots from one start to the next. Required.
	Images string
	// Python, Shell and Node are the interpreters. Empty: the defaults of
	// package rootfs.
	Python, Shell, Node string
	// Commands are the programs in a box for the shell. Nil:
	// rootfs.DefaultCommands.
	Commands []string
	// Open makes a root: rootfs.Open or rootfs.OpenFolder. Required.
	Open func(context.Context, rootfs.Config) (*rootfs.Image, error)
	// Files are placed in every root beside what a language needs, by absolute
	// path.
	Files map[string][]byte
}

// Root is what the boxes of one language are made of.
type Root struct {
	Image *rootfs.Image
	Start lang.Start
	// Kind tells roots apart: languages that share one have the same.
	Kind string
}

// Set is the roots of one back-end. They are made when they are first asked for:
// most gates run one language. It is safe for concurrent use.
type Set struct {
	config Config

	mu   sync.Mutex
	made map[string]Root // by kind of image
	bad  error           // an image is not what was written: nothing runs
}

// New returns a set of which nothing is made yet.
func New(c Config) *Set { return &Set{config: c, made: map[string]Root{}} }

// Serves reports why no box of a language can be made, whatever the host has.
func (s *Set) Serves(l palisade.Language) error {
	_, _, err := s.config.rootFor(l)
	return err
}

// rootFor says what a language's box is made of on the host, and how to get an
// interpreter that is missing.
func (c Config) rootFor(l palisade.Language) (of rootfs.Config, get string, err error) {
	switch l {
	case palisade.Python:
		return rootfs.ForPython(c.Python), "as root: apt-get install python3, or set runtime.python", nil
	case palisade.Shell:
		return rootfs.ForShell(c.Python, c.Shell, c.Commands), "as root: apt-get install bash, or set runtime.shell.path", nil
	case palisade.JavaScript, palisade.TypeScript:
		return rootfs.ForNode(c.Python, c.Node), "as root: apt-get install nodejs, or set runtime.node.path", nil
	default:
		return of, "", fmt.Errorf("language %q does not run here", l)
	}
}

// Open returns the root of a language's boxes, and makes it where there is none;
// that takes seconds. An error says what the host lacks and how to get it.
func (s *Set) Open(ctx context.Context, l palisade.Language) (Root, error) {
	c, get, err := s.config.rootFor(l)
	if err != nil {
		return Root{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bad != nil {
		return Root{}, s.bad
	}
	if made, ok := s.made[c.Kind]; ok {
		return made, nil
	}
	files, err := lang.StartFor(l, lang.Interpreters{})
	if err != nil {
		return Root{}, err
	}
	c.Dir, c.Files = s.config.Images, maps.Clone(files.Files)
	maps.Copy(c.Files, s.config.Files)
	image, err := s.config.Open(ctx, c)
	if errors.Is(err, fs.ErrNotExist) {
		return Root{}, &Refusal{fmt.Sprintf("this machine has no interpreter for %s: %s", l, get), err}
	}
	if err != nil {
		return Root{}, err
	}
	start, err := lang.StartFor(l, lang.Interpreters{
		Python: image.Python.Path, ModulePath: image.Python.Packages, Program: image.Program.Path, Version: image.Program.Version,
	})
	if err != nil {
		return Root{}, errors.Join(err, image.Close())
	}
	s.made[c.Kind] = Root{image, start, c.Kind}
	return s.made[c.Kind], nil
}

// Verify holds an image to its digest. If it is not what was written, no root of
// the set is opened any more.
func (s *Set) Verify(img *rootfs.Image) error {
	err := img.Verify()
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bad = err
	}
	return err
}

// Close lets go of all images.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, one := range s.made {
		errs = append(errs, one.Image.Close())
	}
	return errors.Join(errs...)
}

// Runs reports why a start is not possible under what a verdict denies.
func (r Root) Runs(l palisade.Language, denied []string) error {
	if need := r.Start.Denied(denied); len(need) > 0 {
		return &Refusal{Fix: fmt.Sprintf("%s cannot run under a profile that denies the system calls of %s: its interpreter is a process of its own", l, strings.Join(need, ", "))}
	}
	return nil
}

// Refusal is why there is no box for a program. Fix can be told to anyone.
type Refusal struct {
	Fix   string
	Cause error
}

func (r *Refusal) Error() string {
	if r.Cause == nil {
		return r.Fix
	}
	return r.Fix + " (" + r.Cause.Error() + ")"
}

func (r *Refusal) Unwrap() error { return r.Cause }

// Refused is the result of a program for which there is no box.
func Refused(err error) palisade.Result {
	r := palisade.Result{Status: palisade.Refused, Reason: err.Error(), ExitCode: -1}
	if why, ok := errors.AsType[*Refusal](err); ok {
		r.Fix = why.Fix
	}
	return r
}
