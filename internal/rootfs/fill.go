package rootfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fill places everything that a configuration asks for, and says in m what
// that is.
func (t *tree) fill(ctx context.Context, c Config, on interpreters, m *manifest) (err error) {
	if m.Python, err = probe(ctx, on.python); err != nil {
		return err
	}
	if c.NoPackages {
		m.Python.Packages = nil
	}
	if m.Program, err = probeProgram(ctx, on.program); err != nil {
		return err
	}
	if err := t.addPython(m.Python); err != nil {
		return err
	}
	programs, err := t.addPrograms(c, on)
	if err != nil {
		return err
	}
	// zoneinfo, pandas and date read the time zones, libc the C.UTF-8 locale.
	for _, p := range slices.Concat([]string{"/usr/share/zoneinfo", "/usr/lib/locale/C.utf8"}, c.Data) {
		if err := t.addData(p); err != nil {
			return err
		}
	}
	if m.Missing, err = t.addLibraries(on.python, programs...); err != nil {
		return err
	}
	if err := t.synthetic(); err != nil {
		return err
	}
	for name, data := range c.Files {
		if err := t.file(filepath.Clean("/"+name), 0o444, data); err != nil {
			return err
		}
	}
	m.Python.Modules = t.importable(m.Python)
	return nil
}

// addPrograms places the interpreters under the names that were asked for, and
// the commands, and returns the files that these are.
func (t *tree) addPrograms(c Config, on interpreters) (files []string, err error) {
	if _, err := t.addPath(c.Python); err != nil { // with its links
		return nil, err
	}
	if c.Program != "" {
		if _, err := t.addPath(c.Program); err != nil {
			return nil, err
		}
		files = append(files, on.program)
	}
	for _, name := range c.Commands {
		for _, p := range t.findCommand(name) {
			file, err := t.addPath(p)
			if err != nil {
				return nil, fmt.Errorf("command %s: %w", name, err)
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// commandDirs are where commands are looked for, whatever anyone's PATH says.
var commandDirs = []string{"/usr/bin", "/bin"}

// findCommand returns the paths of a command on the host. Where it has none, a
// later start looks again once the folder has changed.
func (t *tree) findCommand(name string) (found []string) {
	candidates := []string{name}
	if !path.IsAbs(name) {
		candidates = nil
		for _, dir := range commandDirs {
			candidates = append(candidates, path.Join(dir, name))
		}
	}
	for _, p := range candidates {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o005 == 0o005 {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		t.watch(path.Dir(candidates[0]))
	}
	return found
}

// watch has a later start see that a folder of the host has changed.
func (t *tree) watch(dir string) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		if info, err := os.Lstat(real); err == nil {
			t.watched[real] = info.ModTime().UnixNano()
		}
	}
}

// addData places a file or a folder that may be missing on a host.
func (t *tree) addData(p string) error {
	info, err := os.Stat(p)
	if err != nil {
		return nil //nolint:nilerr // it is missing
	}
	if info.IsDir() {
		return t.addOptional(p)
	}
	_, err = t.addPath(p)
	return notThere(err)
}

// probeProgram asks an interpreter for its version.
func probeProgram(ctx context.Context, file string) (Program, error) {
	if file == "" {
		return Program{}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("the interpreter did not answer"))
	defer cancel()
	cmd := exec.CommandContext(ctx, file, "--version")
	cmd.Env = []string{"LANG=C.UTF-8", "PATH=/usr/bin:/bin"}
	cmd.Dir = "/"
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return Program{}, fmt.Errorf("ask %s for its version: %w", file, err)
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return Program{Path: file, Version: strings.ToValidUTF8(line[:min(len(line), 80)], "")}, nil
}

// synthetic places what is ours: an /etc that names nobody but the box's user,
// and the places where something is mounted.
func (t *tree) synthetic() error {
	for name, text := range map[string]string{
		"/etc/passwd":        "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/work:/usr/sbin/nologin\n",
		"/etc/group":         "root:x:0:\nnogroup:x:65534:\n",
		"/etc/hosts":         "127.0.0.1 localhost\n::1 localhost\n",
		"/etc/hostname":      "box\n",
		"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
		"/etc/os-release":    "NAME=Palisade\nID=palisade\n",
	} {
		if err := t.file(name, 0o444, []byte(text)); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/proc", "/sys", "/dev/pts", "/work", "/tmp", "/run/palisade"} {
		if _, err := t.dir(dir); err != nil {
			return err
		}
	}
	return nil
}
