package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"palisade/internal/approval"
	"palisade/internal/audit"
	"palisade/internal/config"
)

// Approvals are the questions that wait for humans, without a sandbox.
type Approvals struct {
	*approval.Queue
	log *audit.Log
}

// OpenApprovals opens the questions of a gate's record.
func OpenApprovals(ctx context.Context, c Config) (*Approvals, error) {
	cfg, err := Settings(c)
	if err != nil {
		return nil, err
	}
	log, err := openLog(ctx, c, cfg)
	if err != nil {
		return nil, err
	}
	// How many must say yes is on the record with the question.
	queue, err := newQueue(cfg, log, nil)
	if err != nil {
		return nil, err
	}
	return &Approvals{queue, log}, nil
}

// Questions are the questions of the gate's own record.
func (g *Gate) Questions() *approval.Queue { return g.queue }

// notify starts telling the webhook of questions, if there is one.
func notify(cfg *config.Config, queue *approval.Queue) (*approval.Notifier, error) {
	hook := cfg.Approvals.Webhook
	if hook.URL == "" && hook.Key == "" {
		return nil, nil
	}
	if hook.URL == "" || hook.Key == "" {
		return nil, errors.New("approvals.webhook needs url and key: without both nobody would be told, or nobody could believe it")
	}
	key, err := approval.ReadKey(hook.Key)
	if err != nil {
		return nil, err
	}
	n, err := queue.Notify(approval.Webhook{URL: hook.URL, Key: key, Now: time.Now})
	if err != nil {
		return nil, fmt.Errorf("approvals.webhook.url: %w", err)
	}
	return n, nil
}

// Close closes the record.
func (a *Approvals) Close() error { return a.log.Close() }

// pollInterval is how often a waiting caller looks for an answer.
const pollInterval = 500 * time.Millisecond

// AwaitAnswer waits until a question has an answer or can have none any more,
// the deadline passes, or ctx ends. A question that is not answered in time
// still stands: waiting less is not denying.
func (g *Gate) AwaitAnswer(ctx context.Context, ticket string, deadline time.Time) (bool, error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		_, item, err := g.queue.Show(ctx, ticket)
		if err != nil && ctx.Err() == nil {
			return false, err
		}
		if err == nil && item.Standing != approval.Waiting {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-tick.C:
		}
	}
}
