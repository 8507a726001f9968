package approval

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
)

// Webhook tells of questions over HTTP, in the form of Standard Webhooks
// (https://github.com/standard-webhooks/standard-webhooks, version 1.0.0): a POST
// of JSON with the headers webhook-id, webhook-timestamp and webhook-signature.
// The same question always has the same webhook-id, and may come more than once.
//
// It only tells. What the other side answers to the POST decides nothing: an
// answer comes through [Queue.Answer], like any other.
type Webhook struct {
	URL string
	// Key signs; see [ReadKey].
	Key []byte
	Now func() time.Time
	// Pauses are the waits between attempts, of which there is one more. Nil:
	// DefaultPauses.
	Pauses []time.Duration
}

// DefaultPauses are the waits between attempts.
var DefaultPauses = []time.Duration{time.Second, 4 * time.Second, 16 * time.Second, 60 * time.Second}

const (
	attemptTimeout = 10 * time.Second
	maxRetryAfter  = time.Minute
	minKey         = 24 // bytes; Standard Webhooks wants 24 to 64
	maxKey         = 64
)

// CheckURL reports why a webhook may not go to an address: it must be https, or
// http to this machine.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("not a URL")
	case u.User != nil:
		return errors.New("no user or password may stand in it: the signature is what vouches for it")
	case u.Hostname() == "" || u.Fragment != "":
		return errors.New("not the URL of a web server")
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return errors.New("neither https nor http")
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return errors.New("http goes to this machine only: what is asked would be read on the way")
}

// ReadKey reads the key that signs from a file that nobody but its owner, this
// user or root, can read: "whsec_" and base64, or any text, of 24 to 64 bytes.
func ReadKey(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("webhook key: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("webhook key: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("webhook key: %s can be read by others than its owner (mode %04o): chmod 600 it", path, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return nil, fmt.Errorf("webhook key: %w", err)
	}
	key := bytes.TrimSpace(data)
	if encoded, ok := bytes.CutPrefix(key, []byte("whsec_")); ok {
		if key, err = base64.StdEncoding.DecodeString(string(encoded)); err != nil {
			return nil, fmt.Errorf("webhook key: %s: not base64 behind whsec_", path)
		}
	}
	if len(key) < minKey || len(key) > maxKey {
		return nil, fmt.Errorf("webhook key: %s: %d bytes, want %d to %d (openssl rand -base64 32)", path, len(key), minKey, maxKey)
	}
	return key, nil
}

// notice is what a webhook tells: who asks for what, and nothing of the code or
// the prompt, which are for approvers.
type notice struct {
	Type      string     `json:"type"`
	Timestamp time.Time  `json:"timestamp"`
	Data      noticeData `json:"data"`
}

type noticeData struct {
	Ticket       string                `json:"ticket"`
	Binding      palisade.Digest       `json:"digest"`
	Run          string                `json:"run"`
	Submitter    string                `json:"submitter"`
	Door         string                `json:"door"`
	Profile      string                `json:"profile"`
	Policy       string                `json:"policy"`
	Severity     palisade.Severity     `json:"severity"`
	Score        int                   `json:"score"`
	Need         int                   `json:"need"`
	Capabilities []palisade.Capability `json:"capabilities"`
	Title        string                `json:"title"` // foreign text
	Asked        time.Time             `json:"asked"`
	Expires      time.Time             `json:"expires"`
}

func (q *Question) notice() ([]byte, error) {
	var does []palisade.Capability
	for _, r := range q.Verdict.Reasons {
		if c := r.Finding.Capability; r.Decision == palisade.Ask && c != "" && !slices.Contains(does, c) {
			does = append(does, c)
		}
	}
	return json.Marshal(notice{"approval.asked", q.Asked.UTC(), noticeData{
		q.Ticket, q.Binding, q.Run, q.Submitter, q.Door, q.Verdict.Profile, q.Verdict.Policy, q.Severity, q.Score,
		max(q.Need, 1), append([]palisade.Capability{}, does...), q.Title, q.Asked.UTC(), q.Expires.UTC(),
	}})
}

// delivery is the payload of KindNotified.
type delivery struct {
	Ticket    string `json:"ticket"`
	Delivered bool   `json:"delivered"`
	Attempts  int    `json:"attempts"`
	Error     string `json:"error,omitempty"` // of the last attempt
}

// KindNotified is on the record when a webhook was told of a question, or could
// not be in all attempts. Kinds are the log's format: add, never rename.
const KindNotified palisade.EventKind = "notified"

// deliver tells of a question, again and again where that may help. It gives up
// after the last pause, or when ctx ends, which is an error.
func (w Webhook) deliver(ctx context.Context, client *http.Client, q *Question) (delivery, error) {
	body, err := q.notice()
	if err != nil {
		return delivery{}, err
	}
	pauses := w.Pauses
	if pauses == nil {
		pauses = DefaultPauses
	}
	d := delivery{Ticket: q.Ticket}
	for {
		after, final, err := w.attempt(ctx, client, "question_"+q.Ticket, body)
		d.Attempts++
		if err == nil {
			d.Delivered, d.Error = true, ""
			return d, nil
		}
		d.Error = err.Error()
		if final || d.Attempts > len(pauses) {
			return d, nil
		}
		select {
		case <-ctx.Done():
			return d, ctx.Err()
		case <-time.After(max(pauses[d.Attempts-1], after)):
		}
	}
}

// attempt posts once. after is how long the other side wants to be left alone,
// final that trying again is no use.
func (w Webhook) attempt(ctx context.Context, client *http.Client, id string, body []byte) (after time.Duration, final bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return 0, true, errors.New("not a URL")
	}
	stamp := strconv.FormatInt(w.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "palisade")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", stamp)
	req.Header.Set("Webhook-Signature", "v1,"+w.sign(id, stamp, body))
	res, err := client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // the address is in the configuration, and may tell a secret
		}
		return 0, false, err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10) // so that the connection can be used again
	switch {
	case res.StatusCode/100 == 2:
		return 0, true, nil
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusRequestTimeout || res.StatusCode/100 == 5:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return min(time.Duration(max(seconds, 0))*time.Second, maxRetryAfter), false, fmt.Errorf("status %d", res.StatusCode)
	}
	return 0, true, fmt.Errorf("status %d", res.StatusCode)
}

func (w Webhook) sign(id, stamp string, body []byte) string {
	h := hmac.New(sha256.New, w.Key)
	h.Write([]byte(strings.Join([]string{id, stamp, string(body)}, ".")))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}
