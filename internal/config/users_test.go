package config

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOwnUsers runs itself as root of a user namespace, as anyone may.
func TestOwnUsers(t *testing.T) {
	if os.Getenv("PALISADE_TEST_NAMESPACE") != "" {
		if os.Getuid() == 0 && OwnUsers() == nil {
			t.Error("the users of a namespace were believed")
		}
		if RootOnly("/etc/passwd") == nil {
			t.Error("a file of a namespace's root was believed")
		}
		return
	}
	if err := OwnUsers(); err != nil {
		t.Skipf("this test runs in one: %v", err)
	}
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "-test.run=^TestOwnUsers$", "-test.v")
	cmd.Env = append(os.Environ(), "PALISADE_TEST_NAMESPACE=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "FAIL") {
		t.Skipf("no user namespace: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestOwnersOnOtherFileSystems(t *testing.T) {
	for _, magic := range []int64{unix.FUSE_SUPER_MAGIC, unix.PROC_SUPER_MAGIC, unix.NFS_SUPER_MAGIC, unix.V9FS_MAGIC, 0} {
		if onDisk(magic) {
			t.Errorf("%#x is believed", magic)
		}
	}
	// A process writes its own command line, and a program of root's owns it.
	if err := RootOnly("/proc/1/cmdline"); err == nil {
		t.Error("/proc is believed")
	}
}
