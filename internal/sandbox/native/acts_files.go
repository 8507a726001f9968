package native

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"palisade/internal/events"
)

// readOnlyFile says why a file outside of the scratch directories is not changed.
const readOnlyFile = "read-only"

// onFiles describes the calls that make, remove and rename files; nil: it is none
// of them.
func (s *seen) onFiles(g guest, name string, n notification) []act {
	at := func(dir, file int) string {
		if dir == here {
			return g.path(unix.AT_FDCWD, n.args[file])
		}
		return g.path(int32(n.args[dir]), n.args[file])
	}
	one := func(a act) []act { return []act{a} }
	switch name {
	case "mkdir":
		return one(creation(g, at(here, 0), "folder"))
	case "mkdirat":
		return one(creation(g, at(0, 1), "folder"))
	case "mknod":
		return one(creation(g, at(here, 0), "node"))
	case "mknodat":
		return one(creation(g, at(0, 1), "node"))
	case "symlink":
		return one(linking(g, at(here, 1), n.args[0]))
	case "symlinkat":
		return one(linking(g, at(1, 2), n.args[0]))
	case "link":
		return one(creation(g, at(here, 1), "link to "+at(here, 0)))
	case "linkat":
		return one(creation(g, at(2, 3), "link to "+at(0, 1)))
	case "unlink", "rmdir":
		return one(deletion(g, at(here, 0)))
	case "unlinkat":
		return one(deletion(g, at(0, 1)))
	case "truncate":
		return one(change(g, events.Write, at(here, 0), "", true))
	case "rename":
		return one(s.renaming(g, at(here, 0), at(here, 1)))
	case "renameat", "renameat2":
		return one(s.renaming(g, at(0, 1), at(2, 3)))
	}
	return nil
}

// creation is the making of something that must not be there yet.
func creation(g guest, name, detail string) act {
	a := act{kind: events.Create, what: name, detail: detail}
	folder := g.find(path.Dir(name), true)
	if path.IsAbs(name) {
		a.what = path.Join(folder.name, path.Base(name))
	}
	switch a.fails = folder.fails; {
	case a.fails != "":
	case path.IsAbs(a.what) && !inScratch(a.what):
		a.fails = readOnlyFile
	case path.IsAbs(a.what) && g.find(a.what, false).fails == "":
		a.fails = "EEXIST"
	}
	return a
}

// linking is the making of a symbolic link, whose target is any text.
func linking(g guest, name string, target uint64) act {
	text, _ := g.text(target, events.MaxDetail)
	return creation(g, name, "link to "+text)
}

// change is an act on something that is there.
func change(g guest, kind events.Kind, name, detail string, follow bool) act {
	is := g.find(name, follow)
	a := act{kind: kind, what: is.name, detail: detail, fails: is.fails}
	if a.fails == "" && path.IsAbs(a.what) && !inScratch(a.what) {
		a.fails = readOnlyFile
	}
	return a
}

func deletion(g guest, name string) act { return change(g, events.Delete, name, "", false) }

func (s *seen) renaming(g guest, from, to string) act {
	a := change(g, events.Rename, from, "to "+to, false)
	if a.fails == "" && s.made[a.what] {
		s.make(to)
	}
	return a
}

// maxMade bounds the names of files that a program opened to change them; files
// beyond that are told of again when they are read.
const maxMade = 8192

func (s *seen) make(name string) {
	if s.made == nil {
		s.made = map[string]bool{}
	}
	if len(s.made) < maxMade {
		s.made[name] = true
	}
}

// opening is an open, with the flags of open(2).
func (s *seen) opening(g guest, name string, flags uint64) act {
	a := act{kind: events.OpenKind(flags), what: name}
	switch {
	case a.kind == events.Open && flags&unix.O_CREAT == 0 && s.inLibrary(name):
		a.kind, a.what = events.Library, libraryName
		return a
	case isDescriptor(name):
		// It is open already, such as the sealed text that an interpreter reads.
		a.kind, a.counted = events.Open, true
		return a
	}
	is := g.find(name, flags&unix.O_NOFOLLOW == 0)
	a.what, a.fails = is.name, is.fails
	switch {
	case events.IsDevice(a.what):
		a.kind = events.Open
	case flags&unix.O_CREAT != 0 && is.fails == "ENOENT", a.kind == events.Create:
		a = s.openingNew(g, name, flags)
	case a.fails != "":
	case flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0:
		a.fails = "EEXIST"
	case a.kind == events.Write && path.IsAbs(a.what) && !inScratch(a.what):
		a.fails = readOnlyFile
	case a.kind == events.Write:
		s.make(a.what)
	case inScratch(a.what) && (flags&unix.O_DIRECTORY != 0 || s.made[a.what]):
		a.counted = true // it looks at what it made, or the harness does at the end
	}
	return a
}

// openingNew is an open that makes its file.
func (s *seen) openingNew(g guest, name string, flags uint64) act {
	if flags&unix.O_TMPFILE == unix.O_TMPFILE {
		return change(g, events.Create, name, "", true)
	}
	a := creation(g, name, "")
	if a.fails == "" {
		s.make(a.what)
	}
	return a
}

// isDescriptor reports whether a path stands for a descriptor of a process.
func isDescriptor(name string) bool {
	if rest, ok := strings.CutPrefix(name, "/proc/"); ok {
		parts := strings.Split(rest, "/")
		return len(parts) == 3 && parts[1] == "fd"
	}
	return strings.HasPrefix(name, "/dev/fd/") || name == "/dev/stdin" || name == "/dev/stdout" || name == "/dev/stderr"
}

func inScratch(name string) bool {
	for _, dir := range []string{"/work", "/tmp"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// libraryName stands for the files that are not named one by one.
const libraryName = "the runtime's own files"

// inLibrary reports whether a file is, or would be, the runtime's own: below a
// folder of the box's root that is neither the program's nor /etc.
func (s *seen) inLibrary(name string) bool {
	if name == "/etc/ld.so.cache" {
		return true
	}
	top, rest, below := strings.Cut(strings.TrimPrefix(name, "/"), "/")
	if !path.IsAbs(name) || !below || rest == "" {
		return false
	}
	switch top {
	case "etc", "work", "tmp", "proc", "dev":
		return false
	}
	return s.run.zygote.hasTop(top)
}
