package redact

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// corpus reads a file of the corpora beside the repository. Where they are
// missing the test is skipped, or fails if PALISADE_REQUIRE names them.
func corpus(t *testing.T, name string) []byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	data, err := os.ReadFile(filepath.Join(dir, "..", "shared", "corpora", filepath.FromSlash(name)))
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), "corpora") {
			t.Fatalf("corpora are required: %v", err)
		}
		t.Skipf("no corpora: %v", err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return data
	}
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(zr); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestHonestText: programs that hold no secret, with the numbers they compute,
// pass through untouched.
func TestHonestText(t *testing.T) {
	r := New(Config{Hosts: []string{"buildbox"}, Users: []string{"alice7"}})
	for _, name := range []string{"pal/gsmhardv2.jsonl", "humaneval/HumanEval.jsonl.gz", "mbpp/sanitized-mbpp.json"} {
		for i, line := range strings.Split(string(corpus(t, name)), "\n") {
			if got := r.Clean([]byte(line)); got != Escape(line) {
				t.Errorf("%s:%d was changed", name, i+1)
			}
		}
	}
}

// TestFragments joins pieces of secrets, of their surroundings and of control
// sequences at random: cleaning is idempotent and independent of the splits,
// whatever the pieces make together.
func TestFragments(t *testing.T) {
	pieces := []string{sampleKey, sampleGitHub, sampleJWT, samplePEM, samplePGP, sampleKey[:12], sampleGitHub[:20], sampleJWT[:50], samplePEM[:70],
		"postgres://", "://a:", "b@", "@", ":", "/", "Authorization", ": ", "Bearer ", "=", "\"", "'", "aws_secret_access_key=",
		strings.Repeat("aB3/", 10), "/var/lib/palisade", "/usr/lib/python3.11", "alice", "build-box7", "[redacted:", "[redacted:jwt]", "]", "[",
		"-----END RSA PRIVATE KEY-----", "-----BEGIN ", "PRIVATE KEY-----", "\\n", "\\", "\\x", "u202e", "\n", "\r", " ", "\x1b[1m", "\x1b", "\x1b]", "\x07", "\u202e", "\ufe0f", "é", "\xff", "\xc3",
		"x", "1", ".", "-", "_", "eyJ", "ghp_", "sk-ant-", "AKIA", strings.Repeat("a1", 30), strings.Repeat("x", 600)}
	r := New(sampleConfig)
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 60_000 {
		var text []byte
		for range 1 + random.IntN(9) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		whole := r.Clean(text)
		if again := r.Clean([]byte(whole)); again != whole {
			t.Fatalf("round %d: %q\n     is %q\nand then %q", round, text, whole, again)
		}
		if !fixed(t, whole) {
			t.Fatalf("round %d: %q", round, text)
		}
		var out bytes.Buffer
		w := r.Writer(&out)
		for rest := text; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(60))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != whole {
			t.Fatalf("round %d: %q\n  whole %q\n pieces %q", round, text, whole, out.String())
		}
	}
}
