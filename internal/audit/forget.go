package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"palisade"
)

// Forget deletes payloads and their nonces, and puts on the record that it did.
// The entries stay, and so does every proof; what was in the payloads cannot be
// guessed from the commitments. The medium is not wiped. It returns how many payloads went.
//
// The record comes first: after a crash in between, Forget again.
func (l *Log) Forget(ctx context.Context, s Selection) (int, error) {
	if s.Run == "" && s.Before.IsZero() {
		return 0, errors.New("forget payloads: neither a run nor a time is given")
	}
	if s.Reason == "" {
		return 0, errors.New("forget payloads: a reason is required")
	}
	var head Head
	dropped := 0
	forget := func() error {
		// Neither the journal nor what a crash left may keep a copy.
		if err := errors.Join(l.flush(), l.dropTemporary()); err != nil {
			return err
		}
		through := l.s.size()
		doomed, count, err := l.choose(s)
		if err != nil || count == 0 {
			return err
		}
		all, err := l.seal([]palisade.Event{{Kind: KindForgotten, Time: l.c.Now(), Data: Forgotten{Selection: s, Through: through, Count: count}}})
		if err != nil {
			return err
		}
		if err := l.put(all, true); err != nil {
			return err
		}
		head = l.s.head
		for n, indexes := range doomed {
			gone, err := dropFromPack(l.dir, n, l.s.base.Size, func(i int64) bool { return indexes[i] })
			if err != nil {
				return err
			}
			dropped += gone
		}
		return nil
	}
	l.mu.Lock()
	err := func() error {
		defer l.mu.Unlock()
		return l.exclusive(ctx, forget)
	}()
	if err != nil {
		return dropped, fmt.Errorf("forget payloads: %w", err)
	}
	if dropped == 0 {
		return 0, nil
	}
	return dropped, l.copyHead(ctx, head)
}

// dropTemporary deletes the packs that a crash left half written.
func (l *Log) dropTemporary() error {
	return fs.WalkDir(l.dir.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(path, "payload/") || !strings.HasSuffix(path, tmpSuffix) {
			return err
		}
		return l.dir.Remove(path)
	})
}

// choose lists by bundle the entries whose payloads are to go and are there.
func (l *Log) choose(s Selection) (doomed map[int64]map[int64]bool, count int, err error) {
	doomed = map[int64]map[int64]bool{}
	for rec, err := range l.s.view().Records(0) {
		if err != nil {
			return nil, 0, err
		}
		if rec.Data == nil || !s.chooses(rec.Entry) {
			continue
		}
		n := rec.Index / tileWidth
		if doomed[n] == nil {
			doomed[n] = map[int64]bool{}
		}
		doomed[n][rec.Index] = true
		count++
	}
	return doomed, count, nil
}
