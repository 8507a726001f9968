package rootfs

import (
	"debug/elf"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// maxLibraries bounds the closure of shared libraries.
const maxLibraries = 5_000

// isSharedObject reports whether a file's name is that of an extension module
// or a shared library: "x.so", "x.so.6".
func isSharedObject(name string) bool {
	return strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.")
}

// triplets are the directories that Debian's dynamic loader searches without a
// cache, by ELF machine (glibc: slibdir and libdir of each port).
func triplets(m elf.Machine) []string {
	name := map[elf.Machine]string{elf.EM_X86_64: "x86_64-linux-gnu", elf.EM_AARCH64: "aarch64-linux-gnu"}[m]
	dirs := []string{"/lib64", "/usr/lib64", "/lib", "/usr/lib"}
	if name != "" {
		dirs = append([]string{"/lib/" + name, "/usr/lib/" + name}, dirs...)
	}
	return dirs
}

// addLibraries places the loader of the interpreter and the closure of the
// shared libraries that it, the programs and every shared object in the tree
// need. A library that is nowhere is not an error: what needs it fails, as it
// would on the host.
func (t *tree) addLibraries(interpreter string, programs ...string) (missing []string, err error) {
	machine, loader, err := loaderOf(interpreter)
	if err != nil {
		return nil, err
	}
	if loader != "" {
		if _, err := t.addPath(loader); err != nil {
			return nil, fmt.Errorf("loader: %w", err)
		}
	}
	defaults := triplets(machine)
	// glibc opens libgcc_s by itself when a thread is canceled.
	wanted := append(slices.Concat(t.binaries, programs), interpreter)
	for _, extra := range findAll("libgcc_s.so.1", defaults) {
		if _, err := t.addPath(extra); err != nil {
			return nil, err
		}
	}
	done := map[string]bool{}
	for len(wanted) > 0 {
		file := wanted[len(wanted)-1]
		wanted = wanted[:len(wanted)-1]
		if done[file] {
			continue
		}
		if done[file] = true; len(done) > maxLibraries {
			return nil, fmt.Errorf("more than %d shared libraries", maxLibraries)
		}
		needs, dirs := needed(file)
		for _, name := range needs {
			found := findAll(name, append(dirs, defaults...))
			if len(found) == 0 {
				missing = append(missing, name)
			}
			for _, p := range found {
				real, err := t.addPath(p)
				if err != nil {
					missing = append(missing, name)
					continue
				}
				wanted = append(wanted, real)
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing), nil
}

// loaderOf returns an executable's machine and its PT_INTERP; a static one has
// none.
func loaderOf(file string) (elf.Machine, string, error) {
	f, err := elf.Open(file)
	if err != nil {
		return 0, "", fmt.Errorf("%s is not an ELF executable: %w", file, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP || p.Filesz > 4096 {
			continue
		}
		data := make([]byte, p.Filesz)
		if _, err := p.ReadAt(data, 0); err != nil {
			return 0, "", fmt.Errorf("read the loader's name of %s: %w", file, err)
		}
		return f.Machine, strings.TrimRight(string(data), "\x00"), nil
	}
	return f.Machine, "", nil
}

// needed returns an ELF file's DT_NEEDED names, and the directories that its
// own DT_RUNPATH or DT_RPATH adds. A file that is not ELF needs nothing.
func needed(file string) (names, dirs []string) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	if names, err = f.ImportedLibraries(); err != nil {
		return nil, nil
	}
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		values, _ := f.DynString(tag)
		for _, v := range values {
			for dir := range strings.SplitSeq(v, ":") {
				dir = strings.NewReplacer("$ORIGIN", path.Dir(file), "${ORIGIN}", path.Dir(file)).Replace(dir)
				if path.IsAbs(dir) {
					dirs = append(dirs, path.Clean(dir))
				}
			}
		}
	}
	return names, dirs
}

// findAll returns every place in dirs that has the library. All of them go into
// the image: the loader takes $ORIGIN from the path by which it opened a file,
// links included, so that only it knows which place it will look in first.
func findAll(name string, dirs []string) (found []string) {
	if strings.Contains(name, "/") {
		return nil // a name with a slash is a path, which we do not follow
	}
	for _, dir := range dirs {
		p := path.Join(dir, name)
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			found = append(found, p)
		}
	}
	return found
}
