package gvisor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"palisade"
	"palisade/internal/rootfs"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/roots"
)

// Backend is the name of this back-end in policy files and reports.
const Backend = "gvisor"

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
	// Debug is a directory for gVisor's own logs. Empty: none. Boxes are slow
	// and talkative with it.
	Debug string
	// Pool says how many boxes are kept warm. Nil: none, each is made for its
	// run.
	Pool *sandbox.PoolLimits
	// Egress opens ways out. Nil: a job that has peers is refused.
	Egress sandbox.Egress
	// NoCgroups makes boxes as on a host where no control group can be made.
	NoCgroups bool
}

// Sandbox makes boxes under gVisor. It is safe for concurrent use.
type Sandbox struct {
	config  Config
	log     *slog.Logger
	now     func() time.Time
	roots   *roots.Set
	python  rootfs.Python // the interpreter of Python programs
	home    *sandbox.Home
	groups  *sandbox.Cgroups // nil: memory is watched
	empty   string           // an empty directory
	binary  string           // identifies this program
	nextBox func() string
	pool    *sandbox.Pool[kind, *box] // nil: no box is warm
	// blind turns the first means of ending a box off, for the tests of the
	// second.
	blind bool
	// deaf leaves the box's kernel telling nothing, for the measure of what it
	// costs.
	deaf bool

	mu       sync.Mutex
	launcher *client
	closed   bool
	running  sync.WaitGroup
}

// New sweeps what dead starts left, prepares the box's root (seconds the first
// time), and starts the launcher. It runs no program. An error says what the
// host lacks.
func New(ctx context.Context, c Config) (*Sandbox, error) {
	if err := canMakeBoxes(); err != nil {
		return nil, err
	}
	c.StateDir = cmp.Or(c.StateDir, sandbox.DefaultStateDir())
	s := &Sandbox{config: c, log: c.Logger, now: c.Now, nextBox: c.NewID, roots: c.newRoots()}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.nextBox == nil {
		s.nextBox = sandbox.Names("box")
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
	if c.Pool != nil {
		s.pool = sandbox.NewPool(sandbox.PoolConfig[kind, *box]{PoolLimits: *c.Pool, Open: s.openTemplate, Logger: s.log})
	}
	return s, nil
}

func (s *Sandbox) prepare(ctx context.Context) error {
	s.empty = filepath.Join(s.home.Dir, "empty")
	for _, dir := range []string{s.empty, s.runscDir()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	launcher := make(chan error, 1)
	go func() { // while the image is looked at
		_, err := s.launch(ctx)
		launcher <- err
	}()
	err := errors.Join(s.prepareImage(ctx), s.prepareGroups())
	return errors.Join(err, <-launcher)
}

// prepareImage makes the root of boxes for Python, without which there is no
// box of any language.
func (s *Sandbox) prepareImage(ctx context.Context) error {
	python, err := s.openRoot(ctx, palisade.Python)
	if err != nil {
		return err
	}
	s.python = python.image.Python
	s.binary, err = binaryID()
	return err
}

func (s *Sandbox) prepareGroups() (err error) {
	if s.config.NoCgroups {
		return nil
	}
	s.groups, err = sandbox.NewCgroups(s.home)
	if errors.Is(err, sandbox.ErrNoCgroup) {
		s.log.Info("memory is watched, not bounded by a control group", slog.Any("reason", err))
		return nil
	}
	return err
}

// runscDir is gVisor's own state directory.
func (s *Sandbox) runscDir() string { return filepath.Join(s.home.Dir, "root") }

// launch returns the running launcher, starting one if there is none.
func (s *Sandbox) launch(ctx context.Context) (*client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the sandbox is closed")
	}
	if s.launcher != nil && s.launcher.alive() {
		return s.launcher, nil
	}
	var flags []string
	if s.config.Debug != "" {
		flags = []string{"debug", "true", "debug-log", s.config.Debug + "/", "strace", "true"}
	}
	c, err := startLauncher(ctx, s.runscDir(), flags, &logWriter{log: s.log})
	if err != nil {
		return nil, err
	}
	if err := s.home.AddMember(c.cmd.Process.Pid); err != nil {
		c.close()
		return nil, fmt.Errorf("record the launcher: %w", err)
	}
	s.launcher = c
	return c, nil
}

// Close ends every box and removes what this start made on the host.
func (s *Sandbox) Close() error {
	var errs []error
	if s.pool != nil {
		errs = append(errs, s.pool.Close())
	}
	s.mu.Lock()
	s.closed = true
	launcher := s.launcher
	s.mu.Unlock()
	if launcher != nil {
		launcher.close()
	}
	s.running.Wait()
	if s.groups != nil {
		errs = append(errs, s.groups.Close())
	}
	return errors.Join(append(errs, s.roots.Close(), s.home.Close())...)
}

// Image implements [palisade.Sandbox]. It names the interpreter, every byte of
// the box's root, harness included, and this program, which is the box's kernel.
// Where the host lacks the interpreter it says so: a run will be refused.
func (s *Sandbox) Image(ctx context.Context, l palisade.Language, iso palisade.Isolation) (string, error) {
	if err := s.serves(l, iso); err != nil {
		return "", err
	}
	r, err := s.openRoot(ctx, l)
	if errors.Is(err, fs.ErrNotExist) {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	return s.runtime(r), nil
}

func (s *Sandbox) runtime(r root) string {
	return fmt.Sprintf("%s; gvisor in program %s", r.image.Identity(), s.binary)
}

// Python describes the interpreter that Python programs run under.
func (s *Sandbox) Python() rootfs.Python { return s.python }

// serves reports why this back-end will not run a language under iso.
func (s *Sandbox) serves(l palisade.Language, iso palisade.Isolation) error {
	if err := s.roots.Serves(l); err != nil {
		return err
	}
	for _, name := range iso.Backends {
		if name == Backend {
			return nil
		}
	}
	return fmt.Errorf("policy does not want the back-end %s", Backend)
}

// logWriter passes a process's complaints to the log, bounded.
type logWriter struct {
	log  *slog.Logger
	left int
	once sync.Once
}

// maxComplaints is how many bytes of complaints one launcher may log.
const maxComplaints = 64 << 10

func (w *logWriter) Write(p []byte) (int, error) {
	w.once.Do(func() { w.left = maxComplaints })
	if w.left > 0 {
		w.left -= len(p)
		w.log.Error("launcher", slog.String("said", string(p[:min(len(p), 4<<10)])))
	}
	return len(p), nil
}

var _ io.Writer = (*logWriter)(nil)
