package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/egress/egresstest"
)

// client is an HTTP client of a program: through the proxy, believing the run's
// authority.
func (w *way) client() *http.Client {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(egresstest.Roots())
	if w.session.ca != nil {
		pool.AppendCertsFromPEM(w.session.ca.pem)
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy.invalid:1"}),
			DialContext:     func(context.Context, string, string) (net.Conn, error) { return w.dial(), nil },
			TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true,
		},
	}
}

// do makes a request and returns its status and body, or the error as a text.
func (w *way) do(method, target string, header ...string) (int, string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, target, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	resp, err := w.client().Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(body) + resp.Header.Get("Location") + resp.Header.Get("X-Echo")
}

// echo answers with all that it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Echo", r.Header.Get("X-Token"))
	if to := r.URL.Query().Get("to"); to != "" {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	if r.URL.Path == "/v1/packed" {
		w.Header().Set("Content-Encoding", "br")
	}
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s %s\n", r.Method, r.Host, r.URL.RequestURI())
	_ = r.Header.Write(w)
	_, _ = w.Write(body)
}

func TestTerminatedPeersAreHeldToRules(t *testing.T) {
	port := egresstest.ServeTLS(t, http.HandlerFunc(echo), "api.example.com", "wild.example.com")
	at := "https://api.example.com:" + port
	w := newWay(t, runConfig{Run: "r", Peers: []palisade.Peer{
		{Name: "*.example.com:" + port},
		{Name: "api.example.com:" + port, Terminate: true, Methods: []string{"GET", "HEAD"}, Paths: []string{"/v1/*", "/all/**"}},
	}})
	cases := []struct {
		method, url string
		status      int
		want        string
	}{
		{"GET", at + "/v1/x?q=1", 200, "GET api.example.com:" + port + " /v1/x?q=1"},
		{"GET", at + "/all", 200, "GET"}, {"GET", at + "/all/a/b", 200, "GET"}, {"HEAD", at + "/v1/x", 200, ""},
		{"POST", at + "/v1/x", 403, "POST /v1/x is not among the requests"},
		{"GET", at + "/v2/x", 403, "not among"}, {"GET", at + "/v1/x/y", 403, "not among"}, {"GET", at + "/v1", 403, "not among"}, {"GET", at + "/", 403, "not among"},
		{"GET", at + "/v1/../v2", 403, `segment ".."`}, {"GET", at + "/v1/%2e%2e/v2", 403, "more than one way"}, {"GET", at + "/all//x", 403, "more than one way"},
		{"GET", at + "/v1/a%2fb", 403, "more than one way"}, {"GET", at + "/v1/a;b", 403, "more than one way"}, {"GET", at + "/all/" + strings.Repeat("a", 3000), 403, "longer"},
		{"GET", at + "/v1/r?to=https://evil.example.net/", 302, "https://evil.example.net/"},
		{"GET", "https://wild.example.com:" + port + "/anything", 200, "GET wild"},
	}
	for _, c := range cases {
		status, body := w.do(c.method, c.url)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s, want %d %q", c.method, c.url, status, body, c.status, c.want)
		}
	}
	if status, body := w.do("GET", "https://evil.example.net/"); status != 0 || !strings.Contains(body, "not among the peers") {
		t.Errorf("where a redirect led: %d %s", status, body)
	}
	if status, body := w.do("GET", at+"/v1/x", "Upgrade", "websocket", "Connection", "Upgrade"); status != 403 {
		t.Errorf("another protocol: %d %s", status, body)
	}
	for _, text := range []string{"POST /v1/x", "GET /v1/x", "evil.example.net"} {
		if !w.told(text != "GET /v1/x", text) {
			t.Errorf("nothing was told of %q: %s", text, w.all())
		}
	}
}

func TestHostInsideTLS(t *testing.T) {
	port := egresstest.ServeTLS(t, http.HandlerFunc(echo), "api.example.com")
	w := newWay(t, runConfig{Run: "r", Peers: []palisade.Peer{{Name: "api.example.com:" + port, Terminate: true}}})
	for _, raw := range []string{
		"GET / HTTP/1.1\r\nHost: evil.example.net\r\n\r\n", "GET / HTTP/1.1\r\nHost: api.example.com:1\r\n\r\n", "GET / HTTP/1.1\r\nHost: \r\n\r\n",
		"GET / HTTP/1.0\r\n\r\n", "GET https://evil.example.net/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n", "GET http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
		"CONNECT evil.example.net:443 HTTP/1.1\r\nHost: evil.example.net:443\r\n\r\n", "GET / HTTP/1.1\r\nHost: api.example.com\r\nHost: evil.example.net\r\n\r\n",
	} {
		c := w.dial()
		fmt.Fprintf(c, "CONNECT api.example.com:%s HTTP/1.1\r\n\r\n", port)
		r := bufio.NewReader(c)
		resp, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect})
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		_ = resp.Body.Close()
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(w.session.ca.pem)
		inner := tls.Client(c, &tls.Config{ServerName: "api.example.com", RootCAs: pool})
		if _, err := io.WriteString(inner, raw); err != nil {
			t.Fatal(err)
		}
		resp, err = http.ReadResponse(bufio.NewReader(inner), nil)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if resp.StatusCode < 400 || resp.StatusCode == http.StatusBadGateway {
			t.Errorf("%q: %v", raw, resp)
		}
		_ = resp.Body.Close()
		_ = c.Close()
	}
}

func TestServersAreVerified(t *testing.T) {
	port := egresstest.ServeTLS(t, http.HandlerFunc(echo), "another.example.com")
	w := newWay(t, runConfig{Run: "r", Peers: []palisade.Peer{{Name: "api.example.com:" + port, Terminate: true}}})
	status, body := w.do("GET", "https://api.example.com:"+port+"/")
	if status != 502 || !strings.Contains(body, "is not who it says") {
		t.Errorf("%d %s", status, body)
	}
}

// value is the credential of these tests.
const value = "s3cr3t-value-0123456789"

func secretFile(t testing.TB, mode os.FileMode) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(value+"\n"), mode); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCredentialsGoToTheirOwnHost(t *testing.T) {
	port := egresstest.ServeTLS(t, http.HandlerFunc(echo), "api.example.com", "other.example.com")
	clear := egresstest.ServeClear(t, http.HandlerFunc(echo))
	const placeholder = "palisade-00112233445566778899aabbccddeeff"
	w := newWay(t, runConfig{Run: "r",
		Secrets: secrets{{Name: "API_TOKEN", Host: "api.example.com:" + port, Value: value, Placeholder: placeholder}},
		Peers: []palisade.Peer{
			{Name: "api.example.com:" + port, Terminate: true, Secrets: []string{"API_TOKEN"}}, {Name: "other.example.com:" + port, Terminate: true, Secrets: []string{"API_TOKEN"}},
			{Name: "api.example.com:" + clear},
		}})
	api := "https://api.example.com:" + port
	var got string
	sees := func(url string, header ...string) (int, string) {
		t.Helper()
		status, body := w.do("GET", url, header...)
		if strings.Contains(body, value) {
			t.Errorf("%s %v: the program sees the credential: %s", url, header, body)
		}
		return status, body
	}
	// What arrived is seen by a server that says it in another way.
	seen := make(chan string, 1)
	witness := egresstest.ServeTLS(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		seen <- r.Header.Get("Authorization") + "|" + r.Header.Get("X-Token") + "|" + password
	}), "api.example.com")
	v := newWay(t, runConfig{Run: "r", Secrets: secrets{{Name: "API_TOKEN", Host: "api.example.com:" + witness, Value: value, Placeholder: placeholder}},
		Peers: []palisade.Peer{{Name: "api.example.com:" + witness, Terminate: true, Secrets: []string{"API_TOKEN"}}}})
	v.do("GET", "https://api.example.com:"+witness+"/", "Authorization", "Bearer "+placeholder, "X-Token", placeholder)
	if got = <-seen; got != "Bearer "+value+"|"+value+"|" {
		t.Errorf("arrived: %s", got)
	}
	v.do("GET", "https://user:"+placeholder+"@api.example.com:"+witness+"/")
	if got = <-seen; !strings.HasSuffix(got, "||"+value) {
		t.Errorf("arrived: %s", got)
	}
	if status, body := sees(api+"/v1", "Authorization", "Bearer "+placeholder, "X-Token", placeholder); status != 200 || strings.Count(body, placeholder) < 3 {
		t.Errorf("an echo: %d %s", status, body)
	}
	if status, body := sees(api+"/v1/packed", "X-Token", placeholder); status != 403 || !strings.Contains(body, "encoded") {
		t.Errorf("an answer that is packed: %d %s", status, body)
	}
	for _, c := range [][]string{
		{"https://other.example.com:" + port + "/", "X-Token", placeholder}, {"http://api.example.com:" + clear + "/", "X-Token", placeholder},
		{api + "/?key=" + placeholder}, {api + "/" + placeholder},
		{"https://other.example.com:" + port + "/", "Authorization", "Basic cGFsaXNhZGUtMDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY="},
	} {
		if status, body := sees(c[0], c[1:]...); status != 403 {
			t.Errorf("%v: %d %s", c, status, body)
		}
	}
	if strings.Contains(w.all(), value) {
		t.Error("the credential stands in what is told")
	}
}

func TestHiding(t *testing.T) {
	held := secrets{{Value: "needle-in-here", Placeholder: "X"}, {Value: "needle", Placeholder: "Y"}}
	text := "a needle-in-here needle-in-her needle-in-hereneedle bmVlZGxlLWluLWhlcmU= n"
	for size := 1; size < len(text)+1; size++ {
		b := &hidingBody{body: io.NopCloser(&slow{text, size}), hider: held.hider()}
		got, err := io.ReadAll(b)
		if want := "a X Y-in-her XY X n"; err != nil || string(got) != want {
			t.Errorf("in parts of %d: %q, %v", size, got, err)
		}
	}
}

// slow gives a text in parts.
type slow struct {
	text string
	size int
}

func (s *slow) Read(p []byte) (int, error) {
	if s.text == "" {
		return 0, io.EOF
	}
	n := copy(p, s.text[:min(s.size, len(s.text))])
	s.text = s.text[n:]
	return n, nil
}

func TestSecretFiles(t *testing.T) {
	if got, err := (Secret{Name: "T", File: secretFile(t, 0o600)}).read(); err != nil || got != value {
		t.Errorf("%q, %v", got, err)
	}
	long := filepath.Join(t.TempDir(), "long")
	lines := filepath.Join(t.TempDir(), "lines")
	for name, data := range map[string]string{long: strings.Repeat("x", maxSecret+5), lines: "two lines\nof text"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		secretFile(t, 0o640): "chmod 600", filepath.Join(t.TempDir(), "none"): "no such file", t.TempDir(): "not a file", long: "bytes", lines: "more than one line",
	} {
		if _, err := (Secret{Name: "T", File: file}).read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}
