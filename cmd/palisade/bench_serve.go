package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// benchServeFlags are the flags of `palisade bench serve`.
type benchServeFlags struct {
	benchFlags
	seconds time.Duration
	clients int
}

func newBenchServeCmd(e *env) *cobra.Command {
	var f benchServeFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "What the server itself costs, and how it holds under load",
		Long: `Bench serve starts a server of its own on a state folder of its own and asks it
over HTTP. With two clients it measures, for each run, what the gate adds: the time
until the answer was read, without what the box and the program in it took, which the
server tells in the header Server-Timing. First each pauses between runs, so that a box
is ready; then neither does, and the gate shares its processors with the making of
boxes. The processor time is that of the server's
own process: of runs that are denied, which have no box, and of all, where it also
makes boxes. The baseline is "python3 -I -c PROGRAM", run in between.

Then --clients run mixed programs, that succeed, fail, are denied and do not read, for
--seconds. Every answer must be an outcome or an honest 429 or 503, every run that was
taken must have its end on the record, and the server's memory is told before and after.

Exit codes: 0 measured, 1 an answer was wrong or a run was lost, 2 usage.`,
		Example: `  palisade bench serve
  palisade bench serve --clients 8 --seconds 10s --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.clients < 1 || f.clients > 1024 || f.seconds < 0 || f.seconds > time.Hour {
				return usage("--clients wants 1 to 1024, --seconds 0 to 1h")
			}
			return e.benchServe(cmd.Context(), f)
		},
	}
	f.register(cmd, 100)
	cmd.Flags().DurationVar(&f.seconds, "seconds", time.Minute, "how `long` the load is kept up; 0: not at all")
	cmd.Flags().IntVar(&f.clients, "clients", 64, "how many clients make the load")
	return cmd
}

func (e *env) benchServe(ctx context.Context, f benchServeFlags) (err error) {
	dir, err := os.MkdirTemp("", "palisade-bench-")
	if err != nil {
		return exit(1, "%w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := startServed(ctx, dir)
	if err != nil {
		return exit(1, "%w", err)
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	e.saying("measuring what the gate adds")
	own, err := s.measureOwn(ctx, f)
	if err != nil {
		return exit(1, "%w", err)
	}
	figures := own.figures(f)
	var wrong error
	if f.seconds > 0 {
		e.saying("%d clients for %v", f.clients, f.seconds)
		held, err := s.measureHeld(ctx, f)
		if err != nil {
			return exit(1, "%w", err)
		}
		figures, wrong = append(figures, held.figures(f)...), held.wrong()
	}
	e.saying("")
	tell := e.figureTable
	if f.format == "json" {
		tell = func(all []figure) error { return e.report(f.benchFlags, all) }
	}
	if err := tell(figures); err != nil {
		return exit(1, "%w", err)
	}
	if wrong != nil {
		return exit(1, "%w", wrong)
	}
	return nil
}

// benchServed is a server in a process of its own.
type benchServed struct {
	cmd        *exec.Cmd
	url        string
	key, admin string
}

// startServed starts one whose rate bounds nothing, since that is not what is measured.
func startServed(ctx context.Context, dir string) (*benchServed, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "home")
	s := &benchServed{cmd: exec.CommandContext(ctx, self, "serve", "--listen", "127.0.0.1:0", "--home", home)}
	s.cmd.Args[0] = "palisade"
	s.cmd.Env = append(os.Environ(), "PALISADE_SERVE_TENANT_RATE=100000", "PALISADE_SERVE_TENANT_QUEUE=1024")
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	stdout, err := os.Create(filepath.Join(dir, "stdout"))
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	s.cmd.Stdout = stdout
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	var said strings.Builder
	for lines := bufio.NewScanner(stderr); s.url == "" && lines.Scan(); {
		_, s.url, _ = strings.Cut(lines.Text(), "serving on ")
		said.WriteString(lines.Text() + "\n")
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }() // ends with the server
	if s.url == "" {
		return nil, fmt.Errorf("the server did not start: %s", said.String())
	}
	token, err := os.ReadFile(stdout.Name())
	if err != nil {
		return nil, err
	}
	s.admin = strings.TrimSpace(string(token))
	make := exec.CommandContext(ctx, self, "keys", "create", "--role", "submitter", "--role", "auditor", "--profile", "pal", "--home", home)
	make.Args[0] = "palisade"
	key, err := make.Output()
	s.key = strings.TrimSpace(string(key))
	return s, err
}

func (s *benchServed) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return s.cmd.Wait()
}
