package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"palisade"
)

// keep holds the head and the tail of a stream.
type keep struct {
	head, ring []byte
	headCap    int
	tailCap    int
	start      int // where the ring's oldest byte is, once it is full
	total      int64
}

// newKeep returns a keep of at most n bytes: half for the head, half for the tail.
func newKeep(n int64) *keep {
	return &keep{headCap: int(n / 2), tailCap: int(n - n/2)}
}

func (k *keep) add(p []byte) {
	k.total += int64(len(p))
	if room := k.headCap - len(k.head); room > 0 {
		n := min(room, len(p))
		k.head = append(k.head, p[:n]...)
		p = p[n:]
	}
	if over := len(p) - k.tailCap; over > 0 {
		p = p[over:]
	}
	if room := k.tailCap - len(k.ring); room > 0 {
		n := min(room, len(p))
		k.ring = append(k.ring, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(k.ring[k.start:], p)
		p = p[n:]
		k.start = (k.start + n) % k.tailCap
	}
}

// captured returns what was kept; a stream that was kept whole is all head.
func (k *keep) captured() palisade.Captured {
	tail := make([]byte, 0, len(k.ring))
	tail = append(append(tail, k.ring[k.start:]...), k.ring[:k.start]...)
	if k.total == int64(len(k.head)+len(tail)) {
		return palisade.Captured{Head: append(k.head, tail...), Total: k.total}
	}
	return palisade.Captured{Head: k.head, Tail: tail, Total: k.total}
}

// budget counts what both streams write together, and calls passed once when it
// is more than allowed.
type budget struct {
	mu       sync.Mutex
	left     int64
	over     bool
	onPassed func()
}

func (b *budget) spend(n int) {
	b.mu.Lock()
	b.left -= int64(n)
	call := b.left < 0 && !b.over
	b.over = b.over || call
	b.mu.Unlock()
	if call {
		b.onPassed()
	}
}

// drain reads a stream to its end, keeping, counting and passing on what comes.
// A closed file and a deadline are ends too: they are how a back-end stops
// waiting for a pipe that somebody still holds.
func drain(r io.Reader, k *keep, b *budget, live *live) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			k.add(buf[:n])
			b.spend(n)
			live.send(buf[:n])
		}
		if err != nil {
			return ended(err)
		}
	}
}

// ended returns nil for what is only the end of a pipe.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

const (
	// liveQueue is how many bytes may wait for a slow live writer; more are
	// dropped, since a run waits for nobody who watches it.
	liveQueue = 1 << 20
	// livePatience is how long the end of a run waits for its live writers.
	livePatience = 2 * time.Second
)

// live passes a stream on to a writer that may be slow, broken or stuck.
type live struct {
	w    io.Writer
	mu   sync.Mutex
	wake *sync.Cond
	buf  []byte
	lost int64 // bytes that were dropped and not yet owned up to
	shut bool
	dead bool // the writer failed: nothing more goes to it
	done chan struct{}
}

func newLive(w io.Writer) *live {
	l := &live{w: w, done: make(chan struct{})}
	l.wake = sync.NewCond(&l.mu)
	go l.run()
	return l
}

// send queues a copy of p. It never blocks.
func (l *live) send(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return
	}
	if len(l.buf)+len(p) > liveQueue {
		l.lost += int64(len(p))
		return
	}
	l.ownUp()
	l.buf = append(l.buf, p...)
	l.wake.Signal()
}

// ownUp says in the stream that something is missing from it.
func (l *live) ownUp() {
	if l.lost > 0 {
		l.buf = fmt.Appendf(l.buf, "\n[%d bytes came faster than they could be shown]\n", l.lost)
		l.lost = 0
	}
}

// finish ends the stream and waits a little for what is queued.
func (l *live) finish() {
	l.mu.Lock()
	l.ownUp()
	l.shut = true
	l.wake.Signal()
	l.mu.Unlock()
	timer := time.NewTimer(livePatience)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
	}
}

func (l *live) run() {
	defer close(l.done)
	for {
		l.mu.Lock()
		for len(l.buf) == 0 && !l.shut {
			l.wake.Wait()
		}
		p := l.buf
		l.buf = nil
		l.mu.Unlock()
		if len(p) == 0 {
			return
		}
		if !l.write(p) {
			l.mu.Lock()
			l.dead, l.buf = true, nil
			l.mu.Unlock()
			return
		}
	}
}

// write reports whether the writer took p. A writer that panics is a broken
// writer, not a broken run.
func (l *live) write(p []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	n, err := l.w.Write(p)
	return err == nil && n == len(p)
}
