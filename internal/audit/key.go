package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sys/unix"
)

// originFor names a log: the configured name and the key's fingerprint, so that
// a log started over is another log.
func originFor(name string, public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return name + "/" + hex.EncodeToString(sum[:8])
}

// nameOf is the configured name in an origin; empty when it has not the form.
func nameOf(origin string) string {
	i := strings.LastIndexByte(origin, '/')
	if i < 1 || len(origin)-i-1 != 16 {
		return ""
	}
	return origin[:i]
}

// newKey makes a log's key pair, in the encodings of x/mod/sumdb/note.
func newKey(name string) (private, public string, err error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", "", err
	}
	origin := originFor(name, pub)
	public, err = note.NewEd25519VerifierKey(origin, pub)
	if err != nil {
		return "", "", err
	}
	// PRIVATE+KEY+<name>+<hash>+<base64 of algorithm 1 and the seed>
	hash := strings.Split(public, "+")[1]
	seed := append([]byte{1}, priv.Seed()...)
	return fmt.Sprintf("PRIVATE+KEY+%s+%s+%s", origin, hash, base64.StdEncoding.EncodeToString(seed)), public, nil
}

// readKey reads the private key; nobody but its owner may be able to.
func readKey(path string) (note.Signer, note.Verifier, string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, "", err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || info.Size() > 4096 {
		err := fmt.Errorf("audit key %s: want a regular file that only its owner can read (mode 0600), not %v", path, info.Mode())
		if info.Mode().IsRegular() {
			err = fmt.Errorf("%w: chmod 600 %s", err, path)
		}
		return nil, nil, "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, "", err
	}
	text := strings.TrimSpace(string(data))
	signer, err := note.NewSigner(text)
	if err != nil {
		return nil, nil, "", fmt.Errorf("audit key %s: %w", path, err)
	}
	public, err := publicOf(text)
	if err != nil {
		return nil, nil, "", fmt.Errorf("audit key %s: %w", path, err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		return nil, nil, "", fmt.Errorf("audit key %s: %w", path, err)
	}
	return signer, verifier, public, nil
}

// publicOf derives the verifier key from an encoded private key.
func publicOf(private string) (string, error) {
	parts := strings.SplitN(private, "+", 5)
	if len(parts) != 5 {
		return "", errors.New("not a signer key")
	}
	raw, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return "", errors.New("not an Ed25519 signer key")
	}
	public := ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey)
	if nameOf(parts[2]) == "" || originFor(nameOf(parts[2]), public) != parts[2] {
		return "", fmt.Errorf("name %q does not end in the key's fingerprint", parts[2])
	}
	return note.NewEd25519VerifierKey(parts[2], public)
}

// ReadPublicKey reads a log's public key, as it stands in log.pub. It holds one
// line: name+hash+key.
func ReadPublicKey(path string) (string, error) {
	// Without O_NONBLOCK, opening a pipe that was put here waits for its writer.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", fmt.Errorf("audit key %s: want a regular file of one line", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(data))
	if _, err := parsePublic(text); err != nil {
		return "", fmt.Errorf("audit key %s: %w", path, err)
	}
	return text, nil
}

func parsePublic(text string) (note.Verifier, error) {
	parts := strings.SplitN(text, "+", 3)
	v, err := note.NewVerifier(text)
	if err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(raw) != 1+ed25519.PublicKeySize || originFor(nameOf(parts[0]), raw[1:]) != parts[0] {
		return nil, errors.New("its name does not end in the key's fingerprint")
	}
	return v, nil
}

// publicPath is where a log's public key lies unless config says otherwise.
func publicPath(keyFile string) string { return filepath.Join(filepath.Dir(keyFile), "log.pub") }

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
