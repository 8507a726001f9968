package httpapi

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"time"

	"palisade/internal/auth"
)

// Bounds of E2B's sandboxes, which are names and nothing more.
const (
	maxBoxes       = 1000 // of one tenant
	defaultBoxTime = 5 * time.Minute
	maxBoxTime     = 24 * time.Hour
)

// e2bBox is one: who made it, by which key, and the token that code is sent with.
type e2bBox struct {
	id, token string
	maker     auth.Caller
	headers   http.Header // the credentials that it was made with
	made      time.Time
	ends      time.Time // guarded by e2bBoxes.mu, as is count
	count     int
}

// madeBy reports whether a caller made it, with the same key: whoever has its token
// runs programs as its maker.
func (b *e2bBox) madeBy(c auth.Caller) bool {
	return b.maker.Tenant == c.Tenant && b.maker.Name == c.Name && b.maker.Key == c.Key
}

func (b *e2bBox) knows(token string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(b.token)) == 1
}

// e2bBoxes are all that are open. They are kept in memory alone.
type e2bBoxes struct {
	now func() time.Time

	mu  sync.Mutex
	all map[string]*e2bBox
}

func newE2BBoxes(now func() time.Time) *e2bBoxes {
	return &e2bBoxes{now: now, all: map[string]*e2bBox{}}
}

func (b *e2bBoxes) add(maker auth.Caller, headers http.Header, life time.Duration) (*e2bBox, *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, open := b.now(), 0
	for id, one := range b.all {
		switch {
		case !now.Before(one.ends):
			delete(b.all, id)
		case one.maker.Tenant == maker.Tenant:
			open++
		}
	}
	if open >= maxBoxes {
		return nil, &Error{status: http.StatusTooManyRequests, Code: "too_many", Message: "too many sandboxes of this tenant are open: close some", retry: time.Minute}
	}
	box := &e2bBox{
		id: "i" + strings.ToLower(rand.Text())[:19], token: rand.Text() + rand.Text(), maker: maker, headers: headers,
		made: now.UTC(), ends: now.Add(boxTime(life)),
	}
	b.all[box.id] = box
	return box, nil
}

func boxTime(asked time.Duration) time.Duration {
	if asked <= 0 {
		return defaultBoxTime
	}
	return min(asked, maxBoxTime)
}

// find returns one that is open, or nil.
func (b *e2bBoxes) find(id string) *e2bBox {
	b.mu.Lock()
	defer b.mu.Unlock()
	box := b.all[id]
	if box == nil || !b.now().Before(box.ends) {
		return nil
	}
	return box
}

func (b *e2bBoxes) extend(box *e2bBox, life time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	box.ends = b.now().Add(boxTime(life))
}

func (b *e2bBoxes) ends(box *e2bBox) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return box.ends.UTC()
}

// count counts one more program, and returns how many there were.
func (b *e2bBoxes) count(box *e2bBox) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	box.count++
	return box.count
}

func (b *e2bBoxes) close(box *e2bBox) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, box.id)
}
