package audit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sys/unix"

	"palisade"
)

// A Log keeps a gate's record.
var _ palisade.Recorder = (*Log)(nil)

// request is one Append on its way into a batch.
type request struct {
	sealed  []sealed
	durable bool
	mirror  bool
	done    atomic.Bool
	err     error
	head    Head // after the batch
}

// sealed is an event with its nonce and payload.
type sealed struct {
	event palisade.Event
	blob  []byte
}

// Append puts events on the record in their order. With durable set, they and
// all before them are on stable storage when it returns; and when one of them
// ends a run, or answers or spends a question, the signed head has been copied
// to the mirrors.
//
// After an error the events may or may not be on the record; the step that they
// stand for must not be taken. ctx bounds the wait for the mirrors alone: what
// was begun is recorded.
func (l *Log) Append(ctx context.Context, durable bool, events ...palisade.Event) error {
	r := &request{durable: durable}
	var err error
	if r.sealed, err = l.seal(events); err != nil {
		return err
	}
	for _, e := range events {
		r.mirror = r.mirror || durable && isMirrored(e.Kind)
	}
	l.queue.Lock()
	l.queue.waiting = append(l.queue.waiting, r)
	l.queue.Unlock()
	// Whoever gets the lock first writes for all who wait: one frame, one sync.
	l.mu.Lock()
	for !r.done.Load() {
		l.commit(ctx, l.take())
	}
	l.mu.Unlock()
	if r.err != nil || !r.mirror {
		return r.err
	}
	return l.copyHead(ctx, r.head)
}

// isMirrored reports whether the head after an event is copied to the mirrors.
func isMirrored(k palisade.EventKind) bool {
	switch k {
	case palisade.EventOutcome, palisade.EventRejected, palisade.EventFailed,
		palisade.EventAnswered, palisade.EventConsumed, KindForgotten:
		return true
	}
	// A log cut back behind a revocation would let the key in again.
	return strings.HasPrefix(string(k), StandingKeys)
}

// seal checks events and gives each its nonce.
func (l *Log) seal(events []palisade.Event) ([]sealed, error) {
	all := make([]sealed, len(events))
	for i, e := range events {
		var err error
		if all[i], err = seal(e, l.c); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func seal(e palisade.Event, c Config) (sealed, error) {
	if e.Kind == "" || !validName(string(e.Kind)) || !validName(e.Run) {
		return sealed{}, fmt.Errorf("append to audit log: kind %.80q or run %.80q is not of letters, digits and . _ -, at most %d", e.Kind, e.Run, maxName)
	}
	data, err := json.Marshal(e.Data)
	if err != nil {
		return sealed{}, fmt.Errorf("append %s to audit log: %w", e.Kind, err)
	}
	if len(data) > c.MaxPayload {
		return sealed{}, fmt.Errorf("append %s to audit log: payload of %d bytes, at most %d", e.Kind, len(data), c.MaxPayload)
	}
	if e.Time.IsZero() {
		e.Time = c.Now()
	}
	if y := e.Time.UTC().Year(); y < 0 || y > 9999 {
		return sealed{}, fmt.Errorf("append %s to audit log: year %d", e.Kind, y)
	}
	blob := make([]byte, nonceLen, nonceLen+len(data))
	rand.Read(blob) // never fails
	return sealed{e, append(blob, data...)}, nil
}

// take takes requests for one batch off the queue.
func (l *Log) take() []*request {
	const most = 8 << 20 // bytes of payload, unless one request has more
	l.queue.Lock()
	defer l.queue.Unlock()
	size, n := 0, 0
	for ; n < len(l.queue.waiting); n++ {
		for _, s := range l.queue.waiting[n].sealed {
			size += len(s.blob)
		}
		if n > 0 && size > most {
			break
		}
	}
	batch := slices.Clone(l.queue.waiting[:n])
	l.queue.waiting = slices.Delete(l.queue.waiting, 0, n)
	return batch
}

// commit writes a batch of requests and tells each how it went. l.mu must be
// held.
func (l *Log) commit(ctx context.Context, requests []*request) {
	var all []sealed
	durable := false
	for _, r := range requests {
		all = append(all, r.sealed...)
		durable = durable || r.durable
	}
	// One caller's hanging up must not fail the others: LockTimeout bounds this.
	err := l.exclusive(context.WithoutCancel(ctx), func() error { return l.put(all, durable) })
	for _, r := range requests {
		if r.err = err; err == nil {
			r.head = l.s.head
		}
		r.done.Store(true)
	}
}

// put writes what was sealed, and syncs and flushes as need be. The log's lock
// must be held.
func (l *Log) put(all []sealed, durable bool) error {
	if slices.ContainsFunc(all, begins) {
		if l.overdue() { // what is reserved is for the runs that were begun
			if err := l.flush(); err != nil {
				return err
			}
		}
		if err := l.reserve(); err != nil {
			return err
		}
	}
	if err := l.writeSealed(all); err != nil {
		return err
	}
	if durable {
		if err := l.sync(); err != nil {
			return err
		}
	}
	if l.overdue() {
		return l.flushWritten()
	}
	return nil
}

// begins reports whether an event begins a run. Without space to record a run to
// its end it is not begun; one that was begun is recorded as far as possible.
func begins(s sealed) bool { return s.event.Kind == palisade.EventReceived }

func (l *Log) write(events []palisade.Event) error {
	all, err := l.seal(events)
	if err != nil {
		return err
	}
	return l.writeSealed(all)
}

// writeSealed appends one frame to the journal, whole or not at all.
func (l *Log) writeSealed(all []sealed) error {
	if len(all) == 0 {
		return nil
	}
	b, added, edge, err := makeBatch(all, l.s, l.signer)
	if err != nil {
		return err
	}
	body := b.encode()
	if len(body) > maxFrame || l.s.end+int64(len(body)) > maxJournal {
		return fmt.Errorf("append to audit log: a batch of %d bytes is too large", len(body))
	}
	frame := appendFrame(make([]byte, 0, len(body)+frameOverhead), typeBatch, body)
	if _, err := l.file.WriteAt(frame, l.s.end); err != nil {
		err = fmt.Errorf("append to audit log: %w", err)
		if cut := l.file.Truncate(l.s.end); cut != nil {
			l.broken = errors.Join(err, cut)
		}
		return err
	}
	l.s.end += int64(len(frame))
	l.s.added = append(l.s.added, added...)
	l.s.edge = edge
	l.s.head = Head{Origin: l.s.base.Origin, Size: edge.n, Root: edge.root(), Note: b.head}
	return nil
}

// makeBatch builds what follows s.
func makeBatch(all []sealed, s *state, signer note.Signer) (batch, []pending, compact, error) {
	b := batch{first: s.size(), synced: s.durable}
	edge := s.edge.clone()
	added := make([]pending, len(all))
	for i, a := range all {
		e := Entry{
			Index: edge.n, Time: a.event.Time, Run: a.event.Run, Kind: a.event.Kind,
			Payload: commitment(a.blob), Size: int64(len(a.blob) - nonceLen),
		}
		line := e.encode()
		edge.add(tlog.RecordHash(line))
		e.Time = e.Time.UTC()
		added[i] = pending{e, line, a.blob}
		b.entries = append(b.entries, line)
		b.blobs = append(b.blobs, a.blob)
	}
	head, err := sign(signer, edge.n, edge.root())
	if err != nil {
		return batch{}, nil, compact{}, err
	}
	b.head = head.Note
	return b, added, edge, nil
}

// sync makes the journal durable and then says so in the file head.
func (l *Log) sync() error {
	if l.s.durable == l.s.size() {
		return nil
	}
	if err := unix.Fdatasync(int(l.file.Fd())); err != nil {
		// What is on disk is unknown from here on: only a new start tells.
		l.broken = fmt.Errorf("sync audit log: %w", err)
		return l.broken
	}
	if _, err := l.headF.WriteAt(padHead(l.s.head.Note), 0); err != nil {
		return fmt.Errorf("sync audit log: write head: %w", err)
	}
	l.s.durable = l.s.size()
	return nil
}

// Update calls f with the log as it is while no process can write to it, and
// appends what f returns before anyone else can, durably. f must be quick and
// must not use the log. An error from f is returned and appends nothing.
func (l *Log) Update(ctx context.Context, f func(View) ([]palisade.Event, error)) error {
	var head Head
	mirror := false
	update := func() error {
		events, err := f(l.s.view())
		if err != nil || len(events) == 0 {
			return err
		}
		all, err := l.seal(events)
		if err != nil {
			return err
		}
		for _, e := range events {
			mirror = mirror || isMirrored(e.Kind)
		}
		if err := l.put(all, true); err != nil {
			return err
		}
		head = l.s.head
		return nil
	}
	l.mu.Lock()
	err := func() error {
		defer l.mu.Unlock()
		return l.exclusive(ctx, update)
	}()
	if err != nil || !mirror {
		return err
	}
	return l.copyHead(ctx, head)
}

// Snapshot returns the log as it is now, for whoever follows it. Unlike the view
// of an Update it is good until the log is closed, except that a record of what
// was flushed may fail to be read after another flush: take a new one then.
func (l *Log) Snapshot(ctx context.Context) (View, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var v View
	err := l.exclusive(ctx, func() error {
		s := *l.s
		s.edge = s.edge.clone()
		s.added = slices.Clip(s.added)
		v = s.view()
		return nil
	})
	return v, err
}

// MirrorHeads makes what was appended durable and copies the signed head to all
// mirrors.
func (l *Log) MirrorHeads(ctx context.Context) error {
	var head Head
	l.mu.Lock()
	err := func() error {
		defer l.mu.Unlock()
		return l.exclusive(ctx, func() error {
			err := l.sync()
			head = l.s.head
			return err
		})
	}()
	if err != nil {
		return err
	}
	return l.copyHead(ctx, head)
}

// copyHead copies a head to the mirrors, unless a later one was.
func (l *Log) copyHead(ctx context.Context, h Head) error {
	if len(l.c.Mirrors) == 0 {
		return nil
	}
	l.mirrored.Lock()
	defer l.mirrored.Unlock()
	if h.Size <= l.mirrored.size {
		return nil
	}
	var errs []error
	for _, m := range l.c.Mirrors {
		cause := fmt.Errorf("mirror to %s: not done within %v", m, l.c.MirrorTimeout)
		ctx, cancel := context.WithTimeoutCause(ctx, l.c.MirrorTimeout, cause)
		errs = append(errs, m.Put(ctx, h.Origin, h.Note))
		cancel()
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("copy head of audit log: %w", err)
	}
	l.mirrored.size = h.Size
	return nil
}
