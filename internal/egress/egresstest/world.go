package egresstest

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"palisade/internal/peer"
)

// Lookup puts every name below example.com on this machine. Other names
// have the addresses that they say.
func Lookup(name string) ([]netip.Addr, error) {
	if strings.HasSuffix(name, ".example.com") {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	said, ok := strings.CutSuffix(name, ".example.org")
	if !ok {
		return nil, errors.New("no such name")
	}
	var all []netip.Addr
	for text := range strings.SplitSeq(strings.NewReplacer("_", ":", "-", ".").Replace(said), "and") {
		addr, err := netip.ParseAddr(strings.Trim(text, "."))
		if err != nil {
			return nil, err
		}
		all = append(all, addr)
	}
	return all, nil
}

// Forbidden is the real table, in which 127.0.0.1 alone is public.
func Forbidden(addr netip.Addr) string {
	if addr == netip.MustParseAddr("127.0.0.1") {
		return ""
	}
	return peer.Forbidden(addr)
}

// Roots are the certificates that the tests' world believes.
func Roots() []byte { return authority().pem }

// fixed is an authority that every process of these tests makes alike.
type fixed struct {
	key  ed25519.PrivateKey
	cert *x509.Certificate
	pem  []byte
}

func authority() fixed {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "the tests' authority"},
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2120, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return fixed{key, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

// certificate is a server's, for names.
func (f fixed) certificate(t testing.TB, names ...string) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: names[0]}, DNSNames: names,
		NotBefore: f.cert.NotBefore, NotAfter: f.cert.NotAfter, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, f.cert, f.key.Public(), crypto.PrivateKey(f.key))
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: f.key}
}

// ServeClear plays a peer and returns its port.
func ServeClear(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return portOf(t, s.Listener.Addr())
}

// ServeTLS plays a peer that has a certificate for names, and returns its port.
func ServeTLS(t testing.TB, h http.Handler, names ...string) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{authority().certificate(t, names...)}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return portOf(t, s.Listener.Addr())
}

func portOf(t testing.TB, a net.Addr) string {
	t.Helper()
	_, port, err := net.SplitHostPort(a.String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
