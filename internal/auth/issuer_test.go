package auth

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// issuer is a real OpenID provider, small: discovery, authorization code with
// PKCE, tokens signed with RS256. Who asks is let in as claims says.
type issuer struct {
	*httptest.Server
	key    *rsa.PrivateKey
	now    func() time.Time
	claims map[string]any // of the ID token, over the usual ones; nil: left out
	tamper func(header, claims map[string]any) (sign func([]byte) []byte)

	mu     sync.Mutex
	codes  map[string]url.Values // by code: the request that it was given for
	logins int
}

const (
	clientID     = "palisade"
	clientSecret = "hunter2 & more"
)

func newIssuer(t *testing.T, now func() time.Time) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key, now: now, claims: map[string]any{}, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256", "HS256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k1", "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func b64(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// authorize lets everybody in, as far as the request is a proper one.
func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != clientID || q.Get("state") == "" || q.Get("nonce") == "" ||
		q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("scope") != "openid groups" {
		http.Error(w, "bad request "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.logins++
	code := fmt.Sprintf("code-%d", i.logins)
	i.codes[code] = q
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret)
	asked, ok := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code")) // once
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || id != clientID || secret != clientSecret || r.PostFormValue("grant_type") != "authorization_code" ||
		r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") || b64(challenge[:]) != asked.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		reply(w, map[string]string{"error": "invalid_grant"})
		return
	}
	now := i.now()
	claims := map[string]any{
		"iss": i.URL, "sub": "248289761001", "aud": clientID, "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(), "nonce": asked.Get("nonce"),
	}
	for name, v := range i.claims {
		if claims[name] = v; v == nil {
			delete(claims, name)
		}
	}
	reply(w, map[string]any{"access_token": "x", "token_type": "Bearer", "expires_in": 60, "id_token": i.sign(claims)})
}

// sign makes an ID token, as JWS compact serialization.
func (i *issuer) sign(claims map[string]any) string {
	header := map[string]any{"alg": "RS256", "kid": "k1", "typ": "JWT"}
	sign := func(text []byte) []byte {
		sum := sha256.Sum256(text)
		signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, sum[:])
		if err != nil {
			panic(err)
		}
		return signature
	}
	if i.tamper != nil {
		if other := i.tamper(header, claims); other != nil {
			sign = other
		}
	}
	h, _ := json.Marshal(header)
	c, _ := json.Marshal(claims)
	text := b64(h) + "." + b64(c)
	return text + "." + b64(sign([]byte(text)))
}

func hmacSign(secret []byte) func([]byte) []byte {
	return func(text []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(text)
		return mac.Sum(nil)
	}
}
