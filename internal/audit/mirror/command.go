package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Command runs a program for each head and gives it the copy, one line, on
// standard input.
type Command struct {
	// Argv is the program, by absolute path, and its arguments. No shell.
	Argv []string
	// Env is its whole environment.
	Env []string
	// Timeout ends the program and everything it started; zero is refused.
	Timeout time.Duration
	Now     func() time.Time
}

// String says where the copies go.
func (c Command) String() string { return "command " + strings.Join(c.Argv, " ") }

// Put runs the program; it must exit with 0 in time.
func (c Command) Put(ctx context.Context, _ string, signed []byte) error {
	if len(c.Argv) == 0 || !strings.HasPrefix(c.Argv[0], "/") || c.Timeout <= 0 {
		return errors.New("mirror: a command needs an absolute path and a timeout")
	}
	text, err := Format(c.Now(), signed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("not done within %v", c.Timeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Env = append([]string{}, c.Env...)
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(text)
	said := &bounded{left: 512}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("mirror to %s: %w (%q)", c, err, said.b)
	}
	return nil
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	b    []byte
	left int
}

func (w *bounded) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.b = append(w.b, p[:n]...)
	w.left -= n
	return len(p), nil
}
