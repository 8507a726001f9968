package gvisor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/rootfs"
	"palisade/internal/sandbox"
)

// Backend is the name of this back-end in policy files and reports.
const Backend = "gvisor"

// Config says how boxes are made. The zero value of each field but Images has a
// default.
type Config struct {
	// StateDir holds what boxes need while they live; it is best on a tmpfs.
	// Empty: see DefaultStateDir.
	StateDir string
	// Images holds the box's roots, some hundred megabytes, from one start to
	// the next. Required.
	Images string
	// Python is the interpreter on the host. Empty: rootfs.DefaultPython.
	Python string
	// Logger gets what an operator should know. Nil: nothing is logged.
	Logger *slog.Logger
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
	// NewID returns a name for a box, unique in this process. Nil: a counter.
	NewID func() string
	// Debug is a directory for gVisor's own logs. Empty: none. Boxes are slow
	// and talkative with it.
	Debug string
	// NoCgroups makes boxes as on a host where no control group can be made.
	NoCgroups bool
}

// Sandbox makes boxes under gVisor. It is safe for concurrent use.
type Sandbox struct {
	config  Config
	log     *slog.Logger
	now     func() time.Time
	image   *rootfs.Image
	start   lang.Start
	home    *sandbox.Home
	groups  *sandbox.Cgroups // nil: memory is watched
	empty   string           // an empty directory
	binary  string           // identifies this program
	nextBox func() string
	// blind turns the first means of ending a box off, for the tests of the
	// second.
	blind bool

	mu       sync.Mutex
	launcher *client
	closed   bool
	running  sync.WaitGroup
}

// DefaultStateDir is a directory on a tmpfs that belongs to this user.
func DefaultStateDir() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" && os.Geteuid() != 0 {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return filepath.Join(dir, "palisade")
		}
	}
	if os.Geteuid() == 0 {
		return "/run/palisade"
	}
	return "/dev/shm/palisade-" + strconv.Itoa(os.Geteuid())
}

// New sweeps what dead starts left, prepares the box's root (seconds the first
// time), and starts the launcher. It runs no program. An error says what the
// host lacks.
func New(ctx context.Context, c Config) (*Sandbox, error) {
	if err := canMakeBoxes(); err != nil {
		return nil, err
	}
	c.StateDir = cmp.Or(c.StateDir, DefaultStateDir())
	s := &Sandbox{config: c, log: c.Logger, now: c.Now, nextBox: c.NewID}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.nextBox == nil {
		s.nextBox = counter()
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

func (s *Sandbox) prepare(ctx context.Context) error {
	s.empty = filepath.Join(s.home.Dir, "empty")
	for _, dir := range []string{s.empty, s.root()} {
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

func (s *Sandbox) prepareImage(ctx context.Context) (err error) {
	harness, err := lang.Harness(palisade.Python)
	if err != nil {
		return err
	}
	s.image, err = rootfs.Open(ctx, rootfs.Config{
		Python: s.config.Python, Dir: s.config.Images,
		Files: map[string][]byte{lang.HarnessPath: harness},
	})
	if err != nil {
		return err
	}
	s.start, err = lang.StartFor(palisade.Python, lang.Interpreter{
		Path: s.image.Python.Path, ModulePath: s.image.Python.Packages,
	})
	if err != nil {
		return err
	}
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

// root is gVisor's own state directory.
func (s *Sandbox) root() string { return filepath.Join(s.home.Dir, "root") }

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
	c, err := startLauncher(ctx, s.root(), flags, &logWriter{log: s.log})
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
	s.mu.Lock()
	s.closed = true
	launcher := s.launcher
	s.mu.Unlock()
	if launcher != nil {
		launcher.close()
	}
	s.running.Wait()
	var errs []error
	if s.groups != nil {
		errs = append(errs, s.groups.Close())
	}
	if s.image != nil {
		errs = append(errs, s.image.Close())
	}
	return errors.Join(append(errs, s.home.Close())...)
}

// Image implements [palisade.Sandbox]. It names the interpreter, every byte of
// the box's root, harness included, and this program, which is the box's kernel.
func (s *Sandbox) Image(_ context.Context, l palisade.Language, iso palisade.Isolation) (string, error) {
	if err := s.serves(l, iso); err != nil {
		return "", err
	}
	return s.runtime(), nil
}

func (s *Sandbox) runtime() string {
	return fmt.Sprintf("%s; gvisor in program %s", s.image.Identity(), s.binary)
}

// Python describes the interpreter that programs run under.
func (s *Sandbox) Python() rootfs.Python { return s.image.Python }

// serves reports why this back-end will not run a language under iso.
func (s *Sandbox) serves(l palisade.Language, iso palisade.Isolation) error {
	if l != palisade.Python {
		return fmt.Errorf("language %q does not run here", l)
	}
	for _, name := range iso.Backends {
		if name == Backend {
			return nil
		}
	}
	return fmt.Errorf("policy does not want the back-end %s", Backend)
}

func counter() func() string {
	var mu sync.Mutex
	var n int
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return "box" + strconv.Itoa(n)
	}
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
