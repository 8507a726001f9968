package native

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"palisade"
	"palisade/internal/rootfs"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/roots"
)

// Backend is the name of this back-end in policy files and reports.
const Backend = "native"

// Config says how boxes are made. The zero value of each field but Images has a
// default.
type Config struct {
	// StateDir holds what boxes need while they live; it is best on a tmpfs.
	// Empty: see sandbox.DefaultStateDir.
	StateDir string
	// Images holds the box's roots, some hundred megabytes, from one start to
	// the next. Required.
	Images string
	// Python, Shell and Node are the interpreters on the host. Empty: the
	// defaults of package rootfs. Only Python must be there: programs in other
	// languages are refused where theirs is missing.
	Python, Shell, Node string
	// Commands are the programs in a box for the shell. Nil:
	// rootfs.DefaultCommands.
	Commands []string
	// Logger gets what an operator should know. Nil: nothing is logged.
	Logger *slog.Logger
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
	// NewID returns a name for a box, unique in this process. Nil: a counter.
	NewID func() string
	// Pool bounds the boxes that are kept warm. Nil: every box is made for its
	// run, by a zygote of its own.
	Pool *sandbox.PoolLimits
	// Egress opens the way out for jobs that may have peers. Nil: such jobs are
	// refused.
	Egress sandbox.Egress
	// NoCgroups makes boxes as on a host where no control group can be made.
	NoCgroups bool
}

// Sandbox makes boxes on the host's own kernel. It is safe for concurrent use.
type Sandbox struct {
	config  Config
	log     *slog.Logger
	now     func() time.Time
	roots   *roots.Set
	python  rootfs.Python // the interpreter of Python programs
	home    *sandbox.Home
	groups  *sandbox.Cgroups // nil: memory is watched
	users   *users
	nextBox func() string
	running sync.WaitGroup
	pool    *sandbox.Pool[kind, *box] // nil: no box is warm
}

// New sweeps what dead starts left and prepares the box's root (seconds the
// first time). It runs no program. An error says what the host lacks.
func New(ctx context.Context, c Config) (_ *Sandbox, err error) {
	c.StateDir = cmp.Or(c.StateDir, sandbox.DefaultStateDir())
	s := &Sandbox{config: c, log: c.Logger, now: c.Now, nextBox: c.NewID, roots: roots.New(roots.Config{
		Images: c.Images, Python: c.Python, Shell: c.Shell, Node: c.Node, Commands: c.Commands,
		Open: rootfs.OpenFolder, Files: map[string][]byte{zygotePath: zygoteSource},
	})}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.nextBox == nil {
		s.nextBox = sandbox.Names("native")
	}
	swept, err := sandbox.Sweep(c.StateDir)
	if swept != (sandbox.Swept{}) || err != nil {
		s.log.Warn("swept what a dead start left", slog.Int("homes", swept.Homes), slog.Int("groups", swept.Groups), slog.Int("processes", swept.Processes), slog.Any("error", err))
	}
	if s.home, err = sandbox.NewHome(c.StateDir); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Sandbox) prepare(ctx context.Context) (err error) {
	if s.users, err = newUsers(s.config.StateDir); err != nil {
		return err
	}
	root, err := s.roots.Open(ctx, palisade.Python)
	if err != nil {
		return err
	}
	s.python = root.Image.Python
	if !s.config.NoCgroups {
		s.groups, err = sandbox.NewCgroups(s.home)
		if errors.Is(err, sandbox.ErrNoCgroup) {
			s.log.Info("memory is watched, not bounded by a control group", slog.Any("reason", err))
		} else if err != nil {
			return err
		}
	}
	if s.config.Pool != nil {
		s.pool = sandbox.NewPool(sandbox.PoolConfig[kind, *box]{PoolLimits: *s.config.Pool, Open: s.openZygote, Logger: s.log})
	}
	return nil
}

// Close waits for the runs that are under way, and removes what this start made
// on the host.
func (s *Sandbox) Close() error {
	var errs []error
	if s.pool != nil {
		errs = append(errs, s.pool.Close())
	}
	s.running.Wait()
	if s.groups != nil {
		errs = append(errs, s.groups.Close())
	}
	return errors.Join(append(errs, s.roots.Close(), s.users.close(), s.home.Close())...)
}

// Image implements [palisade.Sandbox]. It names the interpreter and every byte
// of the box's root, harness and zygote included. The kernel is the host's.
// Where the host lacks the interpreter it says so: a run will be refused.
func (s *Sandbox) Image(ctx context.Context, l palisade.Language, iso palisade.Isolation) (string, error) {
	if err := s.serves(l, iso); err != nil {
		return "", err
	}
	r, err := s.roots.Open(ctx, l)
	if errors.Is(err, fs.ErrNotExist) {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	return s.runtime(r), nil
}

func (s *Sandbox) runtime(r roots.Root) string {
	return r.Image.Identity() + "; on the host's kernel"
}

// Python describes the interpreter that Python programs run under.
func (s *Sandbox) Python() rootfs.Python { return s.python }

// serves reports why this back-end will not run a language under iso.
func (s *Sandbox) serves(l palisade.Language, iso palisade.Isolation) error {
	if err := s.roots.Serves(l); err != nil {
		return err
	}
	if !slices.Contains(iso.Backends, Backend) {
		return fmt.Errorf("policy does not want the back-end %s", Backend)
	}
	return nil
}

// Try brings up one box of a language, in which no program is started, and
// returns what was in force around it.
func (s *Sandbox) Try(ctx context.Context, l palisade.Language) (palisade.Ready, error) {
	return sandbox.Try(Backend, l, func(job palisade.Job) (palisade.Result, error) { return s.run(ctx, job) })
}
