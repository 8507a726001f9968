package gvisor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/sandbox"
)

// kind is what makes the templates of two jobs differ: all that is fixed before a
// box has a job, and for whom it is.
type kind struct {
	language     palisade.Language
	runtime      string // image and program
	set          string
	denied       string
	memory, disk int64
	inodes       int64
	processes    int
	exit         bool // it has a channel to a way out, which is opened with the job
	tenant       string
}

// kindOf returns the kind of a job's box; false: it has none, and the box is made
// for the job alone.
//
// Deterministic jobs have none. Where things lie in a restored box's memory is its
// template's, and shows (repr(object())); were some of equal runs restored and
// some not, as there happens to be a box, they would not give equal bytes.
func (s *Sandbox) kindOf(r root, job palisade.Job) (kind, bool) {
	if s.pool == nil || job.Deterministic {
		return kind{}, false
	}
	denied := slices.Sorted(slices.Values(job.DeniedSyscalls))
	k := kind{
		language: job.Program.Language, runtime: s.runtime(r), set: lang.ModulesFor(job.Program, r.image.Python.Modules).Name,
		denied: strings.Join(slices.Compact(denied), " "),
		memory: job.Limits.Memory, disk: job.Limits.Disk, inodes: job.Limits.Inodes, processes: job.Limits.Processes,
		exit: len(job.Egress) > 0, tenant: job.Tenant,
	}
	return k, true
}

// job is what fixes the description of a kind's boxes; it has no program.
func (k kind) job() palisade.Job {
	return palisade.Job{
		Program:        palisade.Program{Language: k.language},
		Limits:         palisade.Limits{Memory: k.memory, Disk: k.disk, Inodes: k.inodes, Processes: k.processes},
		DeniedSyscalls: strings.Fields(k.denied),
		Tenant:         k.tenant,
	}
}

// template is a box that was booted once, has imported its modules, and was saved
// before it had a job. Boxes are restored from it.
type template struct {
	sandbox *Sandbox
	root    root
	job     palisade.Job
	set     lang.ModuleSet
	exit    bool
	image   string // a directory with the checkpoint
	size    int64  // of it, in bytes
}

// openTemplate makes the template of a kind.
func (s *Sandbox) openTemplate(ctx context.Context, k kind) (sandbox.Template[*box], error) {
	r, err := s.openRoot(ctx, k.language)
	if err != nil {
		return nil, err
	}
	if k.exit {
		r = r.withExit()
	}
	// Whoever keeps boxes stays for long, and can look once at all of it.
	if err := s.roots.Verify(r.image); err != nil {
		return nil, err
	}
	set, ok := lang.ModuleSetNamed(k.set)
	if !ok || k.runtime != s.runtime(r) {
		return nil, fmt.Errorf("no template for modules %q on %s", k.set, k.runtime)
	}
	return s.newTemplate(ctx, r, k.job(), set, k.exit)
}

// newTemplate boots a box, has it import and rehearse, and saves it.
func (s *Sandbox) newTemplate(ctx context.Context, r root, job palisade.Job, set lang.ModuleSet, exit bool) (*template, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, templatePatience, errors.New("the template did not come up"))
	defer cancel()
	b, err := s.makeBox(ctx, r, job, origin{template: true, exit: exit})
	if err != nil {
		return nil, err
	}
	defer b.forget()
	failed, err := sandbox.Import(ctx, b.pipes, set.Modules)
	if err != nil {
		return nil, err
	}
	if len(failed) > 0 {
		return nil, fmt.Errorf("modules %v cannot be imported", failed)
	}
	if err := sandbox.Warm(ctx, b.pipes, set.Rehearsal); err != nil {
		return nil, err
	}
	t := &template{sandbox: s, root: r, job: job, set: set, exit: exit, image: b.dir + ".image"}
	err = os.Mkdir(t.image, 0o700)
	if err == nil {
		if err = b.remote.save(ctx, t.image); err != nil {
			err = b.withLastWords(err)
		}
	}
	if err == nil {
		t.size, err = folderSize(t.image)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// templatePatience is how long a template may take: pandas is imported in a box
// in 1.5 s.
const templatePatience = time.Minute

func folderSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// Box implements [sandbox.Template].
func (t *template) Box(ctx context.Context) (*box, error) {
	b, err := t.sandbox.makeBox(ctx, t.root, t.job, origin{image: t.image, exit: t.exit})
	if err != nil {
		return nil, err
	}
	err = sandbox.Warm(ctx, b.pipes, t.set.Rehearsal)
	if err == nil {
		// What confines its kernel was fixed when that booted and cannot be
		// loosened; it is looked at here, to save the job the time.
		b.confined = map[string]string{}
		err = b.observeKernel(b.confined)
	}
	if err == nil {
		err = b.signal(unix.SIGSTOP) // it would look for work all the time
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// sentryMemory is what a parked box holds beside its guest's pages: the heap of
// its kernel, and the stubs.
const sentryMemory = 32 << 20

// Memory implements [sandbox.Template].
func (t *template) Memory() int64 { return t.size + sentryMemory }

// Close implements [sandbox.Template].
func (t *template) Close() error { return os.RemoveAll(t.image) }

func (b *box) signal(sig unix.Signal) error {
	if err := unix.PidfdSendSignal(b.pidfd, sig, nil, 0); err != nil {
		return fmt.Errorf("signal %v to the box's kernel: %w", sig, err)
	}
	return nil
}

// Close implements io.Closer: it ends the box.
func (b *box) Close() error { return b.close() }

// takeWarm returns a warm box that has been given the job; nil: there is none, and
// an ordinary one will do.
func (s *Sandbox) takeWarm(ctx context.Context, r root, job palisade.Job) (*box, error) {
	k, ok := s.kindOf(r, job)
	if !ok {
		return nil, nil
	}
	b, ok, err := s.pool.TakeFor(ctx, k, func(b *box) error {
		b.job = job
		if b.sentry.Dead() {
			return fmt.Errorf("box %s: its kernel is gone", b.remote.id)
		}
		return b.signal(unix.SIGCONT)
	})
	if !ok {
		return nil, err
	}
	return b, nil
}
