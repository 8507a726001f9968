package foreign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"palisade/internal/analysis"
)

// childName is the name under which this program runs itself as a reader.
const childName = "palisade-read"

// maxComplaint bounds what is kept of a child's last words.
const maxComplaint = 4 << 10

// child is the host's side of one reader.
type child struct {
	cmd        *exec.Cmd
	in         io.WriteCloser
	out        io.ReadCloser
	complaints *complaints
	texts      int
	waited     bool
}

// startChild runs this program again as a reader. wall is what the child itself
// takes for the most that one text may take, should this process be gone.
func startChild(wall time.Duration) (*child, error) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{childName, wall.String()}
	cmd.Env = []string{"GOTRACEBACK=none"} // nothing of ours
	cmd.Dir = "/"
	c := &child{cmd: cmd, complaints: &complaints{}}
	cmd.Stderr = c.complaints
	cmd.WaitDelay = time.Second
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	if c.out, err = cmd.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	return c, nil
}

// ask has a text read. After an error the child is of no further use.
func (c *child) ask(ctx context.Context, t analysis.Text) (reply, error) {
	c.texts++
	type answer struct {
		reply reply
		err   error
	}
	answered := make(chan answer, 1) // the goroutine ends with the child's pipes
	go func() {
		var a answer
		if a.err = writeFrame(c.in, t); a.err == nil {
			a.err = readFrame(c.out, &a.reply)
		}
		answered <- a
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			a.err = fmt.Errorf("the reader of %s ended: %w", t.Language, a.err)
		}
		return a.reply, a.err
	case <-ctx.Done():
		return reply{}, fmt.Errorf("read %s: %w", t.Language, context.Cause(ctx))
	}
}

// end kills the child and returns what it complained about, if anything.
func (c *child) end() error {
	if c.waited {
		return nil
	}
	c.waited = true
	_, _ = c.in.Close(), c.out.Close()
	_ = c.cmd.Process.Kill() // it may have ended by itself
	_ = c.cmd.Wait()         // how it ended says nothing more
	if text := c.complaints.String(); text != "" {
		return fmt.Errorf("the reader said: %s", text)
	}
	return nil
}

// complaints keep the beginning of what a child writes as errors.
type complaints struct{ kept bytes.Buffer }

func (c *complaints) Write(p []byte) (int, error) {
	if room := maxComplaint - c.kept.Len(); room > 0 {
		c.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// String is the first line, which says why a Go program ended.
func (c *complaints) String() string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.kept.String()), "\n")
	return line
}

// Reexec must be the first call of main. It reports whether this process is a
// reader rather than the program that the user started; then its work is done
// and main must return.
func Reexec() bool {
	if len(os.Args) != 2 || os.Args[0] != childName {
		return false
	}
	wall, err := time.ParseDuration(os.Args[1])
	if err == nil {
		err = confine()
	}
	if err == nil {
		err = serve(os.Stdin, os.Stdout, wall)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "palisade-read:", err)
		os.Exit(1) //nolint:forbidigo // this process is a reader and nothing else
	}
	return true
}

// serve answers until the host hangs up.
func serve(in io.Reader, out io.Writer, wall time.Duration) error {
	for {
		var t analysis.Text
		if err := readFrame(in, &t); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		// The host kills a reader that takes too long; this is for the case that
		// the host is gone.
		late := time.AfterFunc(wall+time.Second, func() { os.Exit(2) }) //nolint:forbidigo // this process is a reader and nothing else
		answer := answerTo(t)
		late.Stop()
		if err := writeFrame(out, answer); err != nil {
			return err
		}
	}
}
