package sandboxtest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// ordinaryUser is a user without any right of its own. It need not exist.
const ordinaryUser = 65533

// AsUser runs the running test program's tests again as an ordinary user, who
// must have the back-end. Each of them must pass. Only root can call it.
func AsUser(t *testing.T, backend string, tests ...string) {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	// The user can read neither this program nor, maybe, the repository.
	dir, err := os.MkdirTemp("/var/tmp", "palisade-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	here := filepath.Join(dir, "internal/sandbox", backend)
	own := filepath.Join(dir, "own")
	program := filepath.Join(dir, "program")
	for _, err := range []error{
		os.MkdirAll(here, 0o755), os.Mkdir(own, 0o700), os.Chown(own, ordinaryUser, ordinaryUser), os.Chmod(dir, 0o755),
		copyFile(program, "/proc/self/exe", 0o755), copyFile(filepath.Join(dir, "go.mod"), filepath.Join(root, "go.mod"), 0o644),
		os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(root, "testdata"))),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run", "^("+strings.Join(tests, "|")+")$", "-test.v", "-test.timeout", "40m")
	cmd.Dir = here
	cmd.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + own, "PALISADE_REQUIRE=" + backend}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}}
	out, err := cmd.CombinedOutput()
	passed := strings.Count(string(out), "--- PASS")
	t.Logf("%d passed", passed)
	if err != nil || passed < len(tests) {
		t.Errorf("%v\n%s", err, out)
	}
}

func copyFile(to, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = io.Copy(out, in)
	return err
}
