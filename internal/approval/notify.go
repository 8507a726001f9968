package approval

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"palisade"
)

// Notifier tells a webhook of every question, beside the runs that ask: nobody
// waits for it. What was told is on the record, so that a gate that starts later
// goes on where another stopped.
type Notifier struct {
	queue  *Queue
	hook   Webhook
	client *http.Client

	begin    func(func(context.Context)) // in the background, until cancel
	cancel   context.CancelFunc
	telling  sync.WaitGroup
	looking  sync.WaitGroup
	mu       sync.Mutex
	underWay map[string]bool // tickets
	closed   bool
}

const (
	// maxUnderWay bounds the questions that are told at once; what is more
	// waits for the next look.
	maxUnderWay = 16
	// lookInterval is how often a gate looks for questions that nobody told of.
	lookInterval = time.Minute
	// othersTime is how long whoever asked is left to tell of it: all attempts
	// with their pauses.
	othersTime = 3 * time.Minute
	// closeGrace is how long what is under way may take when a gate is closed.
	closeGrace = 2 * time.Second
)

// Notify starts telling of the queue's questions. The notifier must be closed
// before the log.
func (q *Queue) Notify(w Webhook) (*Notifier, error) {
	if err := CheckURL(w.URL); err != nil {
		return nil, err
	}
	if len(w.Key) < minKey || w.Now == nil {
		return nil, errors.New("webhook: a part is missing")
	}
	n := &Notifier{queue: q, hook: w, underWay: map[string]bool{}}
	n.client = &http.Client{
		// No proxy of the environment: nobody but the owner says where it goes.
		Transport:     &http.Transport{TLSHandshakeTimeout: attemptTimeout, MaxIdleConns: 4, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	n.begin = func(f func(context.Context)) { n.telling.Go(func() { f(ctx) }) }
	q.notifier.Store(n)
	n.looking.Go(func() { n.look(ctx) })
	return n, nil
}

// look tells of questions that nobody told of: their gate ended before it could.
func (n *Notifier) look(ctx context.Context) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	for {
		left, err := n.queue.untold(ctx, othersTime)
		if err == nil { // else the next look may do better
			for _, q := range left {
				n.tell(q)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tell tells of one question in the background.
func (n *Notifier) tell(q *Question) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || n.underWay[q.Ticket] || len(n.underWay) >= maxUnderWay {
		return
	}
	n.underWay[q.Ticket] = true
	n.begin(func(ctx context.Context) {
		d, err := n.hook.deliver(ctx, n.client, q)
		if err == nil {
			event := palisade.Event{Run: q.Run, Kind: KindNotified, Time: n.queue.c.Now(), Data: d}
			// What cannot be recorded is told again, which does no harm.
			_ = n.queue.c.Store.Update(context.WithoutCancel(ctx), func(View) ([]palisade.Event, error) { return []palisade.Event{event}, nil })
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.underWay, q.Ticket)
	})
}

// Close waits a moment for what is under way. What is not told by then is left
// to a gate that starts later.
func (n *Notifier) Close() error {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	grace := time.AfterFunc(closeGrace, n.cancel)
	n.telling.Wait()
	grace.Stop()
	n.cancel()
	n.looking.Wait()
	n.client.CloseIdleConnections()
	return nil
}
