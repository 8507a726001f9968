package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"palisade/internal/config"
)

// pair is a certificate of this machine's, signed by itself, with its key, as files.
type pair struct {
	cert, key string
	roots     *x509.CertPool
}

func newPair(t *testing.T) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := pair{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()}
	for file, block := range map[string]*pem.Block{p.cert: {Type: "CERTIFICATE", Bytes: cert}, p.key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		t.Fatal(err)
	}
	p.roots.AddCert(parsed)
	return p
}

// TestTLSListener: both versions of HTTP over TLS, and whoever comes without it is
// told.
func TestTLSListener(t *testing.T) {
	p := newPair(t)
	l := answers(t, config.Serve{Certificate: p.cert, Key: p.key}, make(places, 10))
	for protocol, two := range map[string]bool{"HTTP/2.0": true, "HTTP/1.1": false} {
		client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{ForceAttemptHTTP2: two, TLSClientConfig: &tls.Config{RootCAs: p.roots}}}
		resp, err := client.Get("https://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		client.CloseIdleConnections()
		if err != nil || string(text) != protocol || resp.TLS.Version < tls.VersionTLS12 {
			t.Errorf("%s: %q, %v", protocol, text, err)
		}
	}
	if c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{RootCAs: p.roots, MaxVersion: tls.VersionTLS11}); err == nil {
		_ = c.Close()
		t.Error("TLS 1.1 was taken")
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, err := inClear(t, c, 10*time.Second); got != "HTTP/1.0 400 Bad Request" {
		t.Errorf("in clear: %q, %v", got, err)
	}
}

// TestServeTLS: the command itself, over TLS.
func TestServeTLS(t *testing.T) {
	requireGate(t)
	p := newPair(t)
	s := serve(t, filepath.Join(t.TempDir(), "home"), "--tls-cert", p.cert, "--tls-key", p.key)
	if !strings.HasPrefix(s.url, "https://") {
		t.Fatalf("it serves on %s", s.url)
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: p.roots}, ForceAttemptHTTP2: true}}
	r, err := http.NewRequest(http.MethodPost, s.url+"/v1/executions", strings.NewReader(`{"code": "print(6 * 7)"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key("--role", "submitter"))
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(text), `"output":"42\n"`) {
		t.Errorf("%d %s, %v", resp.StatusCode, text, err)
	}
	plain, err := http.Get("http" + strings.TrimPrefix(s.url, "https") + "/v1/health")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Body.Close()
	if text, _ := io.ReadAll(plain.Body); plain.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "HTTPS") {
		t.Errorf("in clear: %d %s", plain.StatusCode, text)
	}
}

// TestServeRefusesPairs: a pair that does not serve ends the command at its start,
// which says why and names the files.
func TestServeRefusesPairs(t *testing.T) {
	good, other, nowhere := newPair(t), newPair(t), filepath.Join(t.TempDir(), "nowhere.pem")
	for what, c := range map[string]struct{ cert, key, want string }{
		"another's key":    {good.cert, other.key, "private key does not match public key"},
		"no such key":      {good.cert, nowhere, "no such file"},
		"no such file":     {nowhere, good.key, "no such file"},
		"the wrong way":    {good.key, good.cert, "certificate"},
		"a key of no kind": {good.cert, good.cert, "key"},
	} {
		out, err := binary(filepath.Join(t.TempDir(), "home"), "serve", "--listen", "127.0.0.1:0", "--tls-cert", c.cert, "--tls-key", c.key).CombinedOutput()
		coded, ok := errors.AsType[*exec.ExitError](err)
		if !ok || coded.ExitCode() != 2 || !strings.Contains(string(out), c.want) || !strings.Contains(string(out), "want in --tls-cert "+c.cert+" a certificate, and in --tls-key "+c.key+" the key") {
			t.Errorf("%s: %v, %s", what, err, out)
		}
	}
	for _, flag := range []string{"--tls-cert", "--tls-key"} {
		out, err := binary(filepath.Join(t.TempDir(), "home"), "serve", "--listen", "0.0.0.0:0", flag, good.cert).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "TLS needs --tls-cert and --tls-key") {
			t.Errorf("%s alone: %v, %s", flag, err, out)
		}
	}
}
