package gvisor

import (
	"crypto/sha256"
	"fmt"
	"io"
	mrand "math/rand"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"

	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	gvrand "gvisor.dev/gvisor/pkg/rand"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// chance is the sentry's source of random bytes: the host's, or where the box is
// deterministic streams of ChaCha8 (C2SP chacha8rand), made of a fixed seed.
// Each thread of the guest has its own, so that which of two runs first does not
// move what either draws. What the sentry draws for itself is from another. At go all begin anew: what a harness or an
// interpreter drew until then does not move what the program draws.
type chance struct {
	host  io.Reader
	fixed atomic.Pointer[fixed]

	mu      sync.Mutex
	streams map[kernel.ThreadID]*rand.ChaCha8
	age     int // how often the streams were too many
	live    bool
	// exec is the thread that is executing a program: what is drawn meanwhile,
	// for the layout of its memory, is from its stream.
	exec      kernel.ThreadID
	executing sync.Mutex
}

// fixedSeed is what the streams are made of. Another text gives other numbers:
// the same program would no longer give what the record says it gave.
const fixedSeed = "palisade determinism 1"

// maxStreams bounds what a guest can make the sentry keep.
const maxStreams = 4096

// nobody is the stream of the sentry's own.
const nobody kernel.ThreadID = 0

// wrapChance makes every draw of the sentry go through c.
func wrapChance(c *chance) {
	c.host = gvrand.Reader
	gvrand.Reader = c
}

// Read implements io.Reader.
func (c *chance) Read(p []byte) (int, error) {
	if c.fixed.Load() == nil {
		return c.host.Read(p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stream(c.exec).Read(p)
}

// draw fills p for a thread.
func (c *chance) draw(who kernel.ThreadID, p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.stream(who).Read(p) // never fails, by its documentation
}

// stream returns a thread's stream. The caller holds mu.
func (c *chance) stream(who kernel.ThreadID) *rand.ChaCha8 {
	if live := c.fixed.Load().running(); live != c.live {
		c.live, c.age, c.streams = live, 0, nil
	}
	if len(c.streams) >= maxStreams {
		c.age, c.streams = c.age+1, nil
	}
	s := c.streams[who]
	if s == nil {
		if c.streams == nil {
			c.streams = map[kernel.ThreadID]*rand.ChaCha8{}
		}
		s = rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%s, run %t, thread %d, age %d", fixedSeed, c.live, who, c.age)))
		c.streams[who] = s
	}
	return s
}

// getrandom implements getrandom(2).
func (c *chance) getrandom(t *kernel.Task, args arch.SyscallArguments) (uintptr, error) {
	const known = 1 | 2 | 4 // GRND_NONBLOCK, GRND_RANDOM, GRND_INSECURE: include/uapi/linux/random.h
	if args[2].Uint()&^known != 0 {
		return 0, linuxerr.EINVAL
	}
	addr, left, done := args[0].Pointer(), uint64(args[1].SizeT()), uint64(0)
	who := t.ThreadID()
	for buf := make([]byte, min(left, 4096)); done < left; {
		part := buf[:min(left-done, uint64(len(buf)))]
		c.draw(who, part)
		n, err := t.CopyOutBytes(addr, part)
		done += uint64(n)
		if err != nil || t.Interrupted() {
			if done == 0 {
				return 0, err
			}
			break
		}
		addr += 4096
	}
	return uintptr(done), nil
}

// execute is execve(2): the program gets a layout of memory from its thread's
// stream. gVisor draws where the stack lies from Go's own generator.
func (c *chance) execute(t *kernel.Task, call func() error) error {
	c.executing.Lock()
	defer c.executing.Unlock()
	c.setExec(t.ThreadID())
	defer c.setExec(nobody)
	seedLayout()
	return call()
}

func (c *chance) setExec(who kernel.ThreadID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exec = who
}

func seedLayout() {
	layoutSeeds.Do(func() { _ = os.Setenv("GODEBUG", "randseednop=0") })
	mrand.Seed(fixedStart) //nolint:staticcheck // there is no other way to gVisor's draw
}

// layoutSeeds lets Go's generator be seeded at all.
var layoutSeeds sync.Once
