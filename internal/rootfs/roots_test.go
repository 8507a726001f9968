package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// openRoot opens the image of a language whose interpreter is file.
func openRoot(t *testing.T, c Config, file, name string) *Image {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), name) {
			t.Fatal(err)
		}
		t.Skipf("no %s on this host", file)
	}
	c.Dir = t.TempDir()
	img, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = img.Close() })
	t.Logf("%d MB: %s; missing %v", img.Size>>20, img.Identity(), img.Missing)
	// Answers over HTTP have it, and nothing of the host.
	if name := img.Identity(); strings.Contains(name, "/") || !strings.Contains(name, img.Digest.String()) {
		t.Errorf("the image is named %q", name)
	}
	return img
}

// The shell's root holds the commands that are listed, and no other program.
func TestShellRoot(t *testing.T) {
	img := openRoot(t, ForShell("", "", nil), DefaultShell, "shell")
	r := read(t, img)
	for _, p := range []string{"/bin", "/bin/sh", "/usr/bin/bash", "/usr/bin/env", "/usr/bin/ls", "/usr/bin/find", "/usr/bin/sed", "/usr/bin/python3", "/usr/share/zoneinfo/UTC"} {
		if p != "/bin" && strings.HasPrefix(p, "/bin") {
			if n, ok := r.at("/bin"); ok && n.IsSymlink() {
				p = "/usr" + p
			}
		}
		if _, ok := r.at(p); !ok {
			t.Errorf("%s is not in the image", p)
		}
	}
	for _, p := range []string{
		"/usr/bin/su", "/usr/bin/sudo", "/usr/bin/mount", "/usr/bin/apt-get", "/usr/bin/dpkg", "/usr/bin/perl", "/usr/bin/curl", "/usr/bin/ssh", "/usr/sbin",
		"/etc/shadow", "/etc/profile", "/etc/bash.bashrc", "/root", "/home", "/var", "/usr/lib/python3/dist-packages",
	} {
		if _, ok := r.at(p); ok {
			t.Errorf("%s is in the image", p)
		}
	}
	if !strings.Contains(img.Identity(), "bash") || img.Program.Path == "" || len(img.Missing) > 0 {
		t.Errorf("%s, missing %v", img.Identity(), img.Missing)
	}
}

func TestNodeRoot(t *testing.T) {
	img := openRoot(t, ForNode("", ""), DefaultNode(), "javascript")
	r := read(t, img)
	if _, ok := r.at(img.Program.Path); !ok {
		t.Errorf("%s is not in the image", img.Program.Path)
	}
	for _, p := range []string{"/usr/bin/bash", "/bin/sh", "/usr/bin/sh", "/usr/bin/env", "/usr/lib/node_modules", "/usr/bin/npm", "/etc/ssl"} {
		if _, ok := r.at(p); ok {
			t.Errorf("%s is in the image", p)
		}
	}
	if !strings.HasPrefix(img.Program.Version, "v") {
		t.Errorf("version %q", img.Program.Version)
	}
}

// A command that others cannot run is left out, and what is missing is no error;
// a missing interpreter is one that can be told from others.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"ours": 0o755, "private": 0o700, "data": 0o644} {
		if err := os.WriteFile(dir+"/"+name, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	tr := newTree()
	var found []string
	for _, name := range []string{dir + "/ours", dir + "/private", dir + "/data", dir + "/missing", "no-such-command", "../etc/passwd"} {
		found = append(found, tr.findCommand(name)...)
	}
	if len(found) != 1 || found[0] != dir+"/ours" {
		t.Errorf("found %v", found)
	}
	if tr.watched["/usr/bin"] == 0 || tr.watched[dir] == 0 {
		t.Errorf("nobody would see that a command was installed: %v", tr.watched)
	}
	for _, c := range []Config{ForShell("", "/nonexistent/bash", nil), ForNode("", "/nonexistent/node"), ForPython("/nonexistent/python3")} {
		c.Dir = t.TempDir()
		if _, err := Open(t.Context(), c); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", c.Kind, err)
		}
	}
	a, b := ForShell("", "", nil), ForShell("", "", []string{"ls"})
	if a.digest(interpreters{}) == b.digest(interpreters{}) {
		t.Error("two lists of commands share an image")
	}
}
