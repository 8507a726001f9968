package egresstest

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/egress"
	"palisade/internal/sandbox/native"
	"palisade/internal/sandbox/sandboxtest"
)

// value is the credential of these tests.
const value = "s3cr3t-value-0123456789"

// upstream answers with what it was asked, and with what it was sent.
func upstream(t *testing.T, seen chan<- string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if token := r.Header.Get("Authorization"); token != "" {
			seen <- token
			_, _ = io.WriteString(w, "you said "+token+"\n")
		}
		_, _ = io.WriteString(w, r.Method+" "+r.URL.Path+" with "+string(body[:min(len(body), 10)])+"\n")
	})
}

func TestCredentialsStayOutside(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(value+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 10)
	port := ServeTLS(t, upstream(t, seen), "api.example.com")
	c := egress.Config{Secrets: []egress.Secret{{Name: "API_TOKEN", Host: "api.example.com:" + port, File: file}}}
	onEach(t, c, func(t *testing.T, r *rig) { credentialsStayOutside(t, r, port, seen) })
}

func credentialsStayOutside(t *testing.T, r *rig, port string, seen <-chan string) {
	got := r.try(palisade.Python, `
import os, urllib.request, glob
token = os.environ["API_TOKEN"]
print("have", token[:9], len(token))
def call(path, method="GET"):
    q = urllib.request.Request("https://api.example.com:`+port+`" + path, method=method, headers={"Authorization": "Bearer " + token})
    try:
        print(urllib.request.urlopen(q, timeout=5).read().decode().replace(token, "PLACEHOLDER"))
    except OSError as e:
        print(e, e.read().decode())
call("/v1/me")
call("/v1/me", "DELETE")
call("/admin")
for name in glob.glob("/proc/*/environ") + glob.glob("/tmp/*", include_hidden=True):
    if b"s3cr3t" in open(name, "rb").read():
        print("ESCAPED", name)
`, palisade.Peer{Name: "api.example.com:" + port, Terminate: true, Methods: []string{"GET"}, Paths: []string{"/v1/**"}, Secrets: []string{"API_TOKEN"}})
	t.Logf("%s\n%s", said(got), acts(got))
	want(t, got, []string{"ok", "have palisade- 41", "you said Bearer PLACEHOLDER", "GET /v1/me", "403", "DELETE /v1/me is not among", "GET /admin is not among"},
		[]string{"allowed api.example.com:" + port + ": GET /v1/me; status 200", "refused api.example.com:" + port + ": DELETE /v1/me"})
	if token := <-seen; token != "Bearer "+value {
		t.Errorf("arrived: %q", token)
	}
	if all := said(got) + acts(got); strings.Contains(all, "s3cr3t") || strings.Contains(all, "ESCAPED") {
		t.Error("the credential is in the box, or in what is told")
	}
}

func TestLibrariesFindTheWay(t *testing.T) {
	onEach(t, egress.Config{}, librariesFindTheWay)
}

func librariesFindTheWay(t *testing.T, r *rig) {
	seen := make(chan string, 10)
	clear, secure := ServeClear(t, upstream(t, seen)), ServeTLS(t, upstream(t, seen), "api.example.com")
	peers := []palisade.Peer{{Name: "api.example.com:" + clear}, {Name: "api.example.com:" + secure, Terminate: true}}
	got := r.try(palisade.Python, `
for url in "http://api.example.com:`+clear+`/a", "https://api.example.com:`+secure+`/b":
    try:
        import requests
        print("requests", requests.post(url, data="x" * 100, timeout=5).text)
    except ImportError:
        print("no requests")
import http.client, os
c = http.client.HTTPSConnection(*os.environ["https_proxy"].rpartition("/")[2].split(":"), timeout=5)
c.set_tunnel("api.example.com", `+secure+`)
c.request("PUT", "/c", body=b"y" * 3000000)
print("http.client", c.getresponse().read())
import threading, urllib.request
def get(i):
    data = urllib.request.urlopen("http://api.example.com:`+clear+`/%d" % i, timeout=20).read()
    print("thread", data == b"GET /%d with \n" % i)
threads = [threading.Thread(target=get, args=(i,)) for i in range(20)]
[x.start() for x in threads]
[x.join() for x in threads]
`, peers...)
	t.Logf("%s\n%s", said(got), acts(got))
	want(t, got, []string{"ok", "http.client b'PUT /c with yyyyyyyyyy"}, []string{"PUT /c; status 200; 3000000 bytes up"})
	if n := strings.Count(said(got), "thread True"); n != 20 {
		t.Errorf("%d of 20 threads", n)
	}
}

func TestShellAndNodeFindTheWay(t *testing.T) {
	onEach(t, egress.Config{}, shellAndNodeFindTheWay)
}

func shellAndNodeFindTheWay(t *testing.T, r *rig) {
	seen := make(chan string, 10)
	clear, secure := ServeClear(t, upstream(t, seen)), ServeTLS(t, upstream(t, seen), "api.example.com")
	peers := []palisade.Peer{{Name: "api.example.com:" + clear}, {Name: "api.example.com:" + secure}}
	got := r.try(palisade.Shell, `
curl -sS http://api.example.com:`+clear+`/a || echo no curl
curl -sS https://api.example.com:`+secure+`/b
curl -sS https://evil.example.com:`+secure+`/b
curl -sS --noproxy '*' http://127.0.0.1:`+clear+`/direct || echo not direct
`, peers...)
	t.Logf("%s\n%s", said(got), acts(got))
	want(t, got, []string{"GET /a with", "GET /b with", "not direct"}, []string{"GET /a; status 200", "refused evil.example.com"})
	got = r.try(palisade.JavaScript, `
const http = require('http'), https = require('https');
const show = (name) => (r) => { let all = ''; r.on('data', (d) => { all += d; }).on('end', () => console.log(name, r.statusCode, all.trim())); };
const failed = (name) => (e) => console.log(name, e.message);
https.get('https://api.example.com:`+secure+`/d', show('https')).on('error', failed('https'));
http.get('http://api.example.com:`+clear+`/e', show('http')).on('error', failed('http'));
https.get('https://evil.example.com:`+secure+`/', show('evil')).on('error', failed('evil'));
for (const url of ['http://api.example.com:`+clear+`/f', 'https://api.example.com:`+secure+`/g', 'http://evil.example.com:`+clear+`/', 'https://evil.example.com:`+secure+`/']) {
  fetch(url).then(async (r) => console.log('fetch', r.status, (await r.text()).trim()), (e) => console.log('fetch', e.message, e.cause && e.cause.message));
}
`, peers...)
	t.Logf("%s\n%s", said(got), acts(got))
	want(t, got, []string{"ok", "https 200 GET /d with", "http 200 GET /e with", "evil palisade: evil.example.com", "fetch 200 GET /f with", "fetch 200 GET /g with", "fetch fetch failed palisade: evil"},
		[]string{"CONNECT, TLS passed on", "GET /e; status 200", "GET /f; status 200"})
}

// TestCut ends what is under way, and the run goes on.
func TestCut(t *testing.T) {
	onEach(t, egress.Config{}, cut)
}

func cut(t *testing.T, r *rig) {
	came := make(chan bool)
	port := ServeClear(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(came)
		<-r.Context().Done()
	}))
	go func() { <-came; r.proxy.Cut() }()
	start := time.Now()
	got := r.try(palisade.Python, `
import urllib.request
for i in 1, 2:
    try:
        urllib.request.urlopen("http://api.example.com:`+port+`/", timeout=20).read()
    except OSError as e:
        print("cut", e)
`, palisade.Peer{Name: "api.example.com:" + port})
	t.Logf("%v\n%s\n%s", time.Since(start), said(got), acts(got))
	want(t, got, []string{"ok"}, []string{"GET /; cut off"})
	if strings.Count(said(got), "cut ") != 2 {
		t.Error("not every connection ended")
	}
	refused := r.try(palisade.Python, "print(1)", palisade.Peer{Name: "api.example.com:" + port})
	if refused.Status == palisade.OK || !strings.Contains(refused.Reason, "is cut") {
		t.Errorf("after the cut: %s %s", refused.Status, refused.Reason)
	}
	r.proxy.Mend()
	if again := r.try(palisade.Python, "print(1)", palisade.Peer{Name: "api.example.com:" + port}); again.Status != palisade.OK {
		t.Errorf("after it was mended: %s %s", again.Status, again.Reason)
	}
}

// TestWithoutPeersThereIsNoWay has no peers: there is no channel, no relay, no
// variable, and the proxy is not even started.
func TestWithoutPeersThereIsNoWay(t *testing.T) {
	onEach(t, egress.Config{}, withoutPeersThereIsNoWay)
}

func withoutPeersThereIsNoWay(t *testing.T, r *rig) {
	got := r.tryLayers(palisade.Python, `
import os, socket
print(sorted(n for n in os.environ if "proxy" in n.lower() or "CERT" in n))
for fd in range(3, 1100):
    try:
        os.fstat(fd)
        print("fd", fd)
    except OSError:
        pass
for peer in ("8.8.8.8", 53), ("127.0.0.1", 80):
    try:
        socket.create_connection(peer, timeout=2)
    except OSError as e:
        print(e)
try:
    socket.getaddrinfo("api.example.com", 80)
except OSError as e:
    print("name:", e)
`, "none")
	want(t, got, []string{"ok", "[]\nfd 1000\n", "[Errno 101]", "[Errno 111]", "name: [Errno"}, nil)
	if got.Activity.Counts["peer"] != 0 {
		t.Error(acts(got))
	}
}

// TestWithoutRoot tells stories of this package again as an ordinary user.
func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("all tests run without root here")
	}
	newRig(t, native.Backend, egress.Config{}) // it works for root
	sandboxtest.AsUser(t, native.Backend, "TestPythonReachesAPeer", "TestShellAndNodeFindTheWay", "TestWithoutPeersThereIsNoWay")
}
