package egress

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"

	"palisade/internal/peer"
)

// authority vouches for the peers whose TLS is opened, to one box. Its key is
// made for one run, stays in this process and goes with it.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pem  []byte
	now  time.Time

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

// validity is how long before and after now a certificate holds; no run is
// longer.
const validity = 25 * time.Hour

func newAuthority(run string, now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("the run's authority: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Palisade, for " + run + " alone"},
		NotBefore: now.Add(-validity), NotAfter: now.Add(validity),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("the run's authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("the run's authority: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &authority{key: key, cert: cert, pem: text, now: now, leaves: map[string]*tls.Certificate{}}, nil
}

// leaf returns the certificate for a peer.
func (c *authority) leaf(a peer.Authority) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if leaf := c.leaves[a.Host]; leaf != nil {
		return leaf, nil
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(int64(len(c.leaves)) + 2),
		Subject:      pkix.Name{CommonName: a.Host[:min(len(a.Host), 64)]},
		NotBefore:    c.now.Add(-validity), NotAfter: c.now.Add(validity),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if a.Addr.IsValid() {
		template.IPAddresses = []net.IP{a.Addr.AsSlice()}
	} else {
		template.DNSNames = []string{a.Host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.cert, c.key.Public(), c.key)
	if err != nil {
		return nil, fmt.Errorf("certificate for %s: %w", a.Host, err)
	}
	leaf := &tls.Certificate{Certificate: [][]byte{der, c.cert.Raw}, PrivateKey: c.key}
	c.leaves[a.Host] = leaf
	return leaf, nil
}
