package sandboxtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/sandbox"
)

// bare runs programs as plain processes. It bounds and isolates nothing: it is
// here so that the harness, the protocol and the suite's own cases can be
// tested without a sandbox, and it lives in a test file so that nothing can
// ever link it.
type bare struct {
	t        testing.TB
	python   string
	packages bool // Debian's are on its module path
}

func (b *bare) Image(context.Context, palisade.Language, palisade.Isolation) (string, error) {
	return "bare " + b.python, nil
}

func (b *bare) Run(ctx context.Context, permit palisade.Permit) (palisade.Result, error) {
	job, err := permit.Spend()
	if err != nil {
		return palisade.Result{}, err
	}
	return b.run(ctx, job)
}

func (b *bare) run(ctx context.Context, job palisade.Job) (palisade.Result, error) {
	work := b.t.TempDir()
	interpreter := lang.Interpreters{Python: b.python}
	if b.packages {
		interpreter.ModulePath = []string{"/usr/lib/python3/dist-packages"}
	}
	start, err := lang.StartFor(job.Program.Language, interpreter)
	if err != nil {
		return palisade.Result{}, err
	}
	harness := filepath.Join(b.t.TempDir(), "harness.py")
	if err := os.WriteFile(harness, start.Files[lang.HarnessPath], 0o600); err != nil {
		return palisade.Result{}, err
	}
	for i, arg := range start.Args {
		if arg == lang.HarnessPath {
			start.Args[i] = harness
		}
	}
	var guest, host [4]*os.File // stdout, stderr, in, out
	for i := range guest {
		r, w, err := os.Pipe()
		if err != nil {
			return palisade.Result{}, err
		}
		guest[i], host[i] = w, r
		if i == 2 {
			guest[i], host[i] = r, w
		}
		defer host[i].Close()
	}
	cmd := exec.Command(start.Path, start.Args...)
	cmd.Dir, cmd.Env = work, start.Env
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = guest[0], guest[1], guest[2:]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return palisade.Result{}, err
	}
	for _, f := range guest {
		f.Close()
	}
	kill := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	pipes := sandbox.Pipes{In: host[2], Out: host[3], Stdout: host[0], Stderr: host[1]}
	var passed atomic.Bool
	var began time.Time
	var wall *time.Timer
	hooks := sandbox.Hooks{
		Backend: "bare", Runtime: b.python,
		Layers: func(context.Context) (map[string]string, error) {
			// A back-end looks at the process: it waits for the answer to its report.
			time.Sleep(10 * time.Millisecond)
			if !sandbox.Running(cmd.Process.Pid) {
				return nil, errors.New("the box ended before it was observed")
			}
			return map[string]string{"kernel": "host"}, nil
		},
		Go: func() error {
			began = time.Now()
			wall = time.AfterFunc(job.Limits.Wall, func() { passed.Store(true); kill() })
			return nil
		},
		Kill: func(sandbox.Kill) { kill() },
	}
	type said struct {
		t   sandbox.Transcript
		err error
	}
	done := make(chan said, 1)
	go func() {
		t, err := sandbox.Converse(ctx, job, pipes, hooks)
		done <- said{t, err}
	}()
	state, err := cmd.Process.Wait()
	if err != nil {
		return palisade.Result{}, err
	}
	kill() // whoever is left of the group
	pipes.Drain(time.Now().Add(time.Second))
	talk := <-done
	if talk.err != nil {
		return palisade.Result{MayHaveRun: talk.t.Started}, talk.err
	}
	o := sandbox.Observed{ExitCode: state.ExitCode()}
	if wall != nil {
		wall.Stop()
		o.Usage.Wall = time.Since(began)
	}
	if passed.Load() {
		o.Kill = sandbox.KillWall
	}
	if ws := state.Sys().(syscall.WaitStatus); ws.Signaled() {
		o.Signal = signalName(ws.Signal())
	}
	return talk.t.Result(o, nil), nil
}

func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGABRT:
		return "SIGABRT"
	}
	return s.String()
}
