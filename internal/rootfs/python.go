package rootfs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// DefaultPython is the interpreter when config names none. It is never looked
// up through PATH.
const DefaultPython = "/usr/bin/python3"

// Python describes an interpreter in an image.
type Python struct {
	// Path is the interpreter's file inside the box (and on the host it came
	// from), symbolic links resolved.
	Path string `json:"path"`
	// Version is major, minor, micro.
	Version [3]int `json:"version"`
	// Library is where the interpreter itself looks for its standard library.
	Library []string `json:"library"`
	// Packages are the distribution's directories of further modules.
	Packages []string `json:"packages"`
	// Modules are the top-level names that can be imported from these, and the
	// built-in ones, sorted.
	Modules []string `json:"modules"`
}

// String is "3.11.2".
func (p Python) String() string {
	return fmt.Sprintf("%d.%d.%d", p.Version[0], p.Version[1], p.Version[2])
}

// askPython runs inside the interpreter with -I -S: no user code, no site, no
// environment. It prints what no file tells reliably.
const askPython = `import sys
print([list(sys.version_info[:3]),sys.prefix,[p for p in sys.path if p],list(sys.builtin_module_names)].__repr__().replace("'",'"'))`

// probe asks the interpreter for its version and its library directories.
func probe(ctx context.Context, file string) (Python, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("the interpreter did not answer"))
	defer cancel()
	cmd := exec.CommandContext(ctx, file, "-I", "-S", "-B", "-c", askPython)
	cmd.Env = []string{"LANG=C.UTF-8", "PATH=/usr/bin:/bin"}
	cmd.Dir = "/"
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return Python{}, fmt.Errorf("ask %s for its version: %w: %.200s", file, err, errOut.String())
	}
	var (
		version  [3]int
		prefix   string
		search   []string
		builtins []string
	)
	if err := json.Unmarshal(out.Bytes(), &[]any{&version, &prefix, &search, &builtins}); err != nil {
		return Python{}, fmt.Errorf("ask %s for its version: %w", file, err)
	}
	if version[0] != 3 || len(search) == 0 {
		return Python{}, fmt.Errorf("%s is Python %v with path %v: not supported", file, version, search)
	}
	p := Python{Path: file, Version: version, Modules: builtins}
	p.Library = existing(search)
	p.Packages = existing(packageDirs(prefix, version))
	return p, nil
}

func existing(dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
}

// search is the whole sys.path of the box.
func (p Python) search() []string { return slices.Concat(p.Library, p.Packages) }

// packageDirs are where distributions keep Python packages: Debian's and
// Ubuntu's dist-packages, others' site-packages. What a user installed with pip
// under /usr/local is not among them: it is not the distribution's.
func packageDirs(prefix string, v [3]int) []string {
	minor := fmt.Sprintf("python%d.%d", v[0], v[1])
	if prefix == "/usr" {
		return []string{
			"/usr/lib/python3/dist-packages",
			path.Join("/usr/lib", minor, "dist-packages"),
			path.Join("/usr/lib64", minor, "site-packages"),
			path.Join("/usr/lib", minor, "site-packages"),
		}
	}
	return []string{path.Join(prefix, "lib", minor, "site-packages")}
}

// left are entries of a library directory that do not go into the image: start-up
// hooks, installers, and modules that only talk to services of the host.
var left = map[string]bool{
	"sitecustomize.py": true, "usercustomize.py": true, "ensurepip": true, "idlelib": true, "lib2to3": true,
	"turtledemo": true, "test": true, "EXTERNALLY-MANAGED": true,
	"pip": true, "apt": true, "apt_pkg": true, "apt_inst": true, "aptsources": true, "softwareproperties": true,
	"dbus": true, "_dbus_bindings": true, "_dbus_glib_bindings": true, "gi": true, "pygtkcompat": true,
	"systemd": true, "launchpadlib": true, "debconf": true, "secretstorage": true, "keyring": true,
}

// skipPython is the filter of a library directory.
func skipPython(rel string, d fs.DirEntry) bool {
	name := d.Name()
	if path.Dir(rel) != "." {
		return strings.HasSuffix(name, ".a") || (d.IsDir() && name == ".git")
	}
	stem, _, _ := strings.Cut(name, ".")
	return left[name] || left[stem] || strings.HasSuffix(name, ".pth") ||
		strings.HasPrefix(name, "config-3.") // the static library, for linking
}

// addPython places the interpreter with its library, and its packages where
// they are wanted.
func (t *tree) addPython(p Python) error {
	if _, err := t.addPath(p.Path); err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	for _, dir := range p.search() {
		if err := t.addTree(dir, skipPython); err != nil {
			return fmt.Errorf("library: %w", err)
		}
	}
	if len(p.Packages) == 0 {
		return nil
	}
	// matplotlib's configuration, data and fonts.
	for _, dir := range []string{"/usr/share/matplotlib", "/usr/share/fonts/truetype"} {
		if err := t.addOptional(dir); err != nil {
			return err
		}
	}
	_, err := t.addPath("/etc/matplotlibrc")
	return notThere(err)
}

// importable lists the top-level names of the library directories in the tree.
func (t *tree) importable(p Python) []string {
	names := slices.Clone(p.Modules)
	for _, dir := range p.search() {
		n := t.root.lookup(dir)
		if n == nil {
			continue
		}
		for name, child := range n.children {
			stem, ext, _ := strings.Cut(name, ".")
			switch {
			case child.mode.IsDir() && ext == "" && identifier(stem) && holdsPython(child),
				!child.mode.IsDir() && (ext == "py" || (strings.HasSuffix(ext, "so") && identifier(stem))):
				names = append(names, stem)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// holdsPython reports whether a directory has a module or a package in it.
func holdsPython(n *node) bool {
	for name, child := range n.children {
		if ext := filepath.Ext(name); ext == ".py" || ext == ".so" || (child.mode.IsDir() && holdsPython(child)) {
			return true
		}
	}
	return false
}

func identifier(s string) bool {
	return s != "" && s != "__pycache__" && !strings.ContainsAny(s, "-+ ~")
}
