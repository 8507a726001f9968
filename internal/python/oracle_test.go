package python

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// oracle is a CPython process that answers what it makes of a program.
type oracle struct {
	version Version
	in      io.WriteCloser
	out     *bufio.Reader
}

// defaultPython is the interpreter that the tests rely on.
const defaultPython = "/usr/bin/python3"

// required reports whether PALISADE_REQUIRE forbids to skip for want of what.
func required(what string) bool {
	for _, w := range strings.Split(os.Getenv("PALISADE_REQUIRE"), ",") {
		if w == what {
			return true
		}
	}
	return false
}

func skip(t testing.TB, what, why string) {
	t.Helper()
	if required(what) {
		t.Fatalf("%s is required: %s", what, why)
	}
	t.Skipf("needs %s: %s", what, why)
}

// startOracle starts $PALISADE_PYTHON, or else the default interpreter.
func startOracle(t testing.TB) *oracle {
	t.Helper()
	python := os.Getenv("PALISADE_PYTHON")
	if python == "" {
		python = defaultPython
	}
	out, err := exec.Command(python, "-I", "-S", "-c", "import sys; print('%d %d' % sys.version_info[:2])").Output()
	if err != nil {
		skip(t, "python", err.Error())
	}
	o := &oracle{}
	if _, err := fmt.Sscan(string(out), &o.version.Major, &o.version.Minor); err != nil {
		t.Fatal(err)
	}
	digest := filepath.Join(t.TempDir(), "digest.py")
	if err := os.WriteFile(digest, []byte(DigestSource), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-I", "-S", "-B", "testdata/oracle.py", digest)
	cmd.Stderr = os.Stderr
	if o.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	o.out = bufio.NewReaderSize(stdout, 1<<20)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		o.in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("oracle: %v", err)
		}
	})
	return o
}

// ask sends one request. ok is false where the interpreter refuses the program.
func (o *oracle) ask(t testing.TB, command string, src []byte) (answer string, ok bool) {
	t.Helper()
	var status string
	var n int
	if _, err := fmt.Fprintf(o.in, "%s %d\n%s", command, len(src), src); err != nil {
		t.Fatalf("oracle: %v", err)
	}
	if _, err := fmt.Fscanf(o.out, "%s %d\n", &status, &n); err != nil {
		t.Fatalf("oracle: %v (after %.200q)", err, src)
	}
	buf := make([]byte, n)
	if _, err := io.ReadFull(o.out, buf); err != nil {
		t.Fatalf("oracle: %v", err)
	}
	return string(buf), status == "ok"
}

// ours gives what the oracle answers to "hash", from our own parser.
func ours(src []byte, v Version) (string, error) {
	m, err := Parse(src, Options{Version: v})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if err := WriteJSON(h, m); err != nil {
		return "", err
	}
	return HexDigest(m) + " " + hex.EncodeToString(h.Sum(nil)), nil
}

func jsonOf(src []byte, v Version) string {
	m, err := Parse(src, Options{Version: v})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	if err := WriteJSON(&b, m); err != nil {
		return err.Error()
	}
	return b.String()
}

// difference shows where two long texts part.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	cut := func(s string) string {
		return s[max(0, min(len(s), i-200)):min(len(s), i+300)]
	}
	return fmt.Sprintf("at %d:\n  ours   …%s\n  theirs …%s", i, cut(a), cut(b))
}
