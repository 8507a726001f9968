package egress

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"palisade/internal/peer"
)

// secret is one credential of a run: the box has its placeholder, the proxy its
// value.
type secret struct {
	Name        string `json:"name"`
	Host        string `json:"host"` // the only peer that gets it: a pattern
	Value       string `json:"value"`
	Placeholder string `json:"placeholder"`
}

// String keeps the value out of what is printed.
func (s secret) String() string { return "secret " + s.Name }

// secrets are those of a run, or of a peer.
type secrets []secret

// put replaces placeholders in a request's headers by their values, and returns
// the secrets that the peer holds. A placeholder that stands anywhere else, or
// is on its way to another peer, is an attempt to use it in a way that policy
// does not know: the request is refused.
func (all secrets) put(r *http.Request, scheme string, a peer.Authority, by rule) (secrets, error) {
	var held secrets
	for _, s := range all {
		its, err := peer.Parse(s.Host)
		if err == nil && scheme == "https" && its.Grants(a.Host, a.Port) && slices.Contains(by.Secrets, s.Name) {
			held = append(held, s)
		}
	}
	for _, s := range all {
		if strings.Contains(r.RequestURI, s.Placeholder) {
			return nil, refuse("the placeholder of %s stands in the URL; it is replaced in headers alone", s.Name)
		}
	}
	for name, values := range r.Header {
		for i, value := range values {
			replaced, err := all.replace(value, held)
			if err != nil {
				return nil, err
			}
			r.Header[name][i] = replaced
		}
	}
	return held, nil
}

// replace puts values in place of the placeholders in a header's value, also
// where that is a user and a password (RFC 7617).
func (all secrets) replace(value string, held secrets) (string, error) {
	scheme, encoded, _ := strings.Cut(value, " ")
	if strings.EqualFold(scheme, "basic") {
		if plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded)); err == nil {
			put, err := all.replacePlain(string(plain), held)
			if err != nil || put == string(plain) {
				return value, err
			}
			return scheme + " " + base64.StdEncoding.EncodeToString([]byte(put)), nil
		}
	}
	return all.replacePlain(value, held)
}

func (all secrets) replacePlain(value string, held secrets) (string, error) {
	for _, s := range all {
		if !strings.Contains(value, s.Placeholder) {
			continue
		}
		if !slices.ContainsFunc(held, func(h secret) bool { return h.Placeholder == s.Placeholder }) {
			return value, refuse("the credential %s is for %s alone, over TLS that policy opens", s.Name, s.Host)
		}
		value = strings.ReplaceAll(value, s.Placeholder, s.Value)
	}
	return value, nil
}

// hide puts placeholders in place of values in an answer: in its headers, and in
// its body where that comes in clear. One that does not is refused, since the
// value could not be seen in it.
func (all secrets) hide(resp *http.Response) error {
	if len(all) == 0 {
		return nil
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refuse("the answer is encoded (%s) though that was not asked for: a credential could be in it", oneLine(brief(encoding)))
	}
	hider := all.hider()
	for _, header := range []http.Header{resp.Header, resp.Trailer} {
		for name, values := range header {
			for i, value := range values {
				header[name][i] = string(hider.all([]byte(value)))
			}
		}
	}
	resp.Header.Del("Content-Length") // a placeholder may have another length
	resp.ContentLength = -1
	resp.Body = &hidingBody{body: resp.Body, hider: hider}
	return nil
}

// hider replaces texts in bytes that come in parts.
type hider struct {
	from, to [][]byte
	longest  int
}

// hider replaces each value, as it is and as it stands in base64 by itself.
func (all secrets) hider() hider {
	var h hider
	add := func(from, to string) {
		h.from, h.to = append(h.from, []byte(from)), append(h.to, []byte(to))
		h.longest = max(h.longest, len(from))
	}
	for _, s := range all {
		add(s.Value, s.Placeholder)
		add(base64.StdEncoding.EncodeToString([]byte(s.Value)), s.Placeholder)
		add(base64.URLEncoding.EncodeToString([]byte(s.Value)), s.Placeholder)
	}
	return h
}

// all replaces in a text that is whole.
func (h hider) all(text []byte) []byte {
	out, _ := h.part(text, true)
	return out
}

// part replaces in what has come so far, and returns what is certain and what
// must wait for more.
func (h hider) part(text []byte, whole bool) (out, rest []byte) {
	for len(text) > 0 {
		at, which := len(text), -1
		for i, from := range h.from {
			if found := bytes.Index(text, from); found >= 0 && (found < at || found == at && len(from) > len(h.from[which])) {
				at, which = found, i
			}
		}
		keep := 0
		if !whole {
			keep = h.longest - 1
		}
		if which < 0 || at >= len(text)-keep && !whole {
			sure := max(len(text)-keep, 0)
			return append(out, text[:sure]...), text[sure:]
		}
		out = append(append(out, text[:at]...), h.to[which]...)
		text = text[at+len(h.from[which]):]
	}
	return out, nil
}

// hidingBody is a body in which values are replaced.
type hidingBody struct {
	body  io.ReadCloser
	hider hider
	ready []byte // to be read
	rest  []byte // not yet certain
	err   error
}

func (b *hidingBody) Read(p []byte) (int, error) {
	for len(b.ready) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		buf := make([]byte, 32<<10)
		n, err := b.body.Read(buf)
		b.err = err
		b.ready, b.rest = b.hider.part(append(b.rest, buf[:n]...), errors.Is(err, io.EOF))
		if err != nil && !errors.Is(err, io.EOF) {
			b.rest = nil // it was cut: what is not certain is not told
		}
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

func (b *hidingBody) Close() error { return b.body.Close() }
