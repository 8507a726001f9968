package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Cookies. The prefix __Host- binds them to this host, to TLS and to the path /:
// RFC 6265bis, section 4.1.3. Browsers count the loopback as TLS.
const (
	sessionCookie = "__Host-palisade"
	loginCookie   = "__Host-palisade-login"
)

const (
	defaultSession = time.Hour
	maxSession     = 24 * time.Hour
	loginTime      = 10 * time.Minute
	maxCookie      = 3800 // bytes; browsers keep 4096 with name and attributes
)

// Sessions are what people have after they logged in: a sealed cookie that holds
// who they are. Nothing is kept on the server but the key and the revocations.
type Sessions struct {
	aead  cipher.AEAD
	index Index
	now   func() time.Time
	life  time.Duration
}

// NewSessions returns sessions under a key that is read from a file, which is
// made, with mode 0600, where there is none: to delete it ends all sessions. life
// is how long one lasts. Zero: an hour; at most a day.
func NewSessions(keyFile string, index Index, now func() time.Time, life time.Duration) (*Sessions, error) {
	if life == 0 {
		life = defaultSession
	}
	if index == nil || now == nil || life < 0 || life > maxSession {
		return nil, fmt.Errorf("sessions: a part is missing, or %s is not between 0 and %s", life, maxSession)
	}
	key, err := sessionKey(keyFile)
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return &Sessions{aead, index, now, life}, nil
}

const sessionKeyLength = 32 // bytes: AES-256

// sessionKey reads the key, or makes it. Of two processes that make it at once,
// one does.
func sessionKey(file string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if errors.Is(err, os.ErrNotExist) && try == 0 {
			if err := makeSessionKey(file); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || info.Size() != sessionKeyLength {
			return nil, fmt.Errorf("%s: want %d bytes that only their owner can read; delete it, and another is made", file, sessionKeyLength)
		}
		key := make([]byte, sessionKeyLength)
		if n, err := f.Read(key); err != nil || n != len(key) {
			return nil, fmt.Errorf("%s: %d bytes were read: %w", file, n, err)
		}
		return key, nil
	}
}

func makeSessionKey(file string) error {
	key := make([]byte, sessionKeyLength)
	_, _ = rand.Read(key)                                     // ends the process rather than return bad bytes
	f, err := os.CreateTemp(filepath.Dir(file), ".session-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it has its own name by then
	_, err = f.Write(key)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), file); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// seal makes a cookie's value; purpose keeps one kind from passing for another.
func (s *Sessions) seal(purpose string, v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sealed := base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, []byte(purpose)))
	if len(sealed) > maxCookie {
		return "", fmt.Errorf("a cookie of %d bytes, at most %d", len(sealed), maxCookie)
	}
	return sealed, nil
}

func (s *Sessions) unseal(purpose, sealed string, v any) error {
	if len(sealed) > maxCookie {
		return errors.New("too long")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return errors.New("not base64")
	}
	text, err := s.aead.Open(nil, nil, raw, []byte(purpose))
	if err != nil {
		return errors.New("not sealed with this gate's key")
	}
	return json.Unmarshal(text, v)
}

// session is what a cookie holds.
type session struct {
	Tenant   string    `json:"t"`
	Owner    string    `json:"o"`
	Roles    []Role    `json:"r"`
	Profiles []string  `json:"p,omitempty"`
	Began    time.Time `json:"b"`
	Ends     time.Time `json:"e"`
}

// begin gives a person a session.
func (s *Sessions) begin(w http.ResponseWriter, who session) error {
	who.Began = s.now().UTC()
	who.Ends = who.Began.Add(s.life)
	value, err := s.seal(sessionCookie, who)
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	setCookie(w, sessionCookie, value, s.life)
	return nil
}

// end takes a browser's session away. Other copies of the cookie last until it
// expires, or its owner is revoked.
func (s *Sessions) end(w http.ResponseWriter) { setCookie(w, sessionCookie, "", -1) }

func setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	age := int(life / time.Second)
	if life < 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode})
}

// caller finds who has a cookie.
func (s *Sessions) caller(ctx context.Context, sealed string) (Caller, error) {
	var who session
	if err := s.unseal(sessionCookie, sealed, &who); err != nil {
		return Caller{}, &Denied{Reason: "session: " + err.Error()}
	}
	if now := s.now(); !now.Before(who.Ends) || who.Ends.Sub(who.Began) > maxSession {
		return Caller{}, &Denied{Reason: "the session has expired"}
	}
	gone, err := s.index.RevokedSince(ctx, who.Tenant, who.Owner, who.Began)
	if err != nil {
		return Caller{}, fmt.Errorf("authenticate: %w", err)
	}
	if gone {
		return Caller{}, &Denied{Reason: "the session was revoked"}
	}
	return Caller{
		Tenant: who.Tenant, Name: ownerMark + who.Owner, Owner: who.Owner, Roles: who.Roles, Profiles: who.Profiles, Expires: who.Ends,
	}, nil
}

// Door finds who sends a request. Keys is required; without Sessions there are
// none.
type Door struct {
	Keys     *Keys
	Sessions *Sessions
}

// Caller authenticates a request: by Authorization: Bearer or X-API-Key, else by
// a session's cookie. A key that is not good is not made up for by a cookie. With
// a cookie, what changes something is taken only from this site's own pages.
func (d Door) Caller(r *http.Request) (Caller, error) {
	token, given, err := tokenOf(r.Header)
	if err != nil {
		return Caller{}, err
	}
	if given {
		return d.Keys.Authenticate(r.Context(), token)
	}
	if d.Sessions == nil {
		return Caller{}, &Denied{Reason: "no key"}
	}
	cookies := r.CookiesNamed(sessionCookie)
	if len(cookies) != 1 {
		return Caller{}, &Denied{Reason: fmt.Sprintf("no key, and %d cookies", len(cookies))}
	}
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		return Caller{}, &Denied{Reason: err.Error()}
	}
	return d.Sessions.caller(r.Context(), cookies[0].Value)
}

// tokenOf finds the token in a request; more than one is nobody's.
func tokenOf(h http.Header) (token string, given bool, err error) {
	var tokens []string
	for _, v := range h.Values("Authorization") {
		scheme, rest, _ := strings.Cut(v, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", false, &Denied{Reason: "Authorization is not Bearer"}
		}
		tokens = append(tokens, strings.TrimSpace(rest))
	}
	tokens = append(tokens, h.Values("X-Api-Key")...)
	switch len(tokens) {
	case 0:
		return "", false, nil
	case 1:
		return tokens[0], true, nil
	}
	return "", false, &Denied{Reason: "more than one key"}
}
