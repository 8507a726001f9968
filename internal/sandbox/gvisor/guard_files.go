package gvisor

import (
	"cmp"
	"path"
	"strings"
	"sync"

	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/fspath"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/vfs"

	"palisade/internal/events"
)

// fileAct describes the calls that make, remove and rename files; nil: it is
// none of them. Opening is told by [guard.tellOpen].
func fileAct(name string) describe {
	const here = -1 // no argument names a folder: the working directory
	switch name {
	case "mkdir":
		return onFile(events.Create, here, 0, "folder")
	case "mkdirat":
		return onFile(events.Create, 0, 1, "folder")
	case "mknod":
		return onFile(events.Create, here, 0, "node")
	case "mknodat":
		return onFile(events.Create, 0, 1, "node")
	case "unlink", "rmdir":
		return onFile(events.Delete, here, 0, "")
	case "unlinkat":
		return onFile(events.Delete, 0, 1, "")
	case "truncate":
		return onFile(events.Write, here, 0, "")
	case "symlink":
		return linking(here, 1, 0)
	case "symlinkat":
		return linking(1, 2, 0)
	case "link":
		return onTwo(events.Create, [2]int{here, 1}, [2]int{here, 0}, "link to ")
	case "linkat":
		return onTwo(events.Create, [2]int{2, 3}, [2]int{0, 1}, "link to ")
	case "rename":
		return onTwo(events.Rename, [2]int{here, 0}, [2]int{here, 1}, "to ")
	case "renameat", "renameat2":
		return onTwo(events.Rename, [2]int{0, 1}, [2]int{2, 3}, "to ")
	}
	return nil
}

// named reads the path that two arguments name.
func named(t *kernel.Task, args arch.SyscallArguments, dir, file int) string {
	start := int32(linux.AT_FDCWD)
	if dir >= 0 {
		start = args[dir].Int()
	}
	return pathAt(t, start, args[file].Pointer())
}

func onFile(k events.Kind, dir, file int, detail string) describe {
	return func(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
		return told{kind: k, what: named(t, args, dir, file), detail: detail}, true
	}
}

// onTwo describes a call that names a file and another one.
func onTwo(k events.Kind, what, other [2]int, detail string) describe {
	return func(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
		return told{kind: k, what: named(t, args, what[0], what[1]), detail: detail + named(t, args, other[0], other[1])}, true
	}
}

// linking describes a symbolic link, whose target is any text.
func linking(dir, file, target int) describe {
	return func(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
		text, _ := t.CopyInString(args[target].Pointer(), events.MaxDetail)
		return told{kind: events.Create, what: named(t, args, dir, file), detail: "link to " + text}, true
	}
}

// tellOpen tells of an open. dir is -1 where no argument names a folder.
func (g *guard) tellOpen(fn kernel.SyscallFn, dir, file, flags int) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		r := g.events.Load()
		if !r.On() {
			return fn(t, nr, args)
		}
		asked := args[flags].Uint64()
		a := told{kind: events.OpenKind(asked)}
		if a.kind != events.Open || asked&linux.O_CREAT != 0 {
			a.what = named(t, args, dir, file)
			a.kind = changeKind(t, a, asked)
		}
		if r.Aborts(a.kind) {
			r.Record(a.kind, a.what, "ended the run", true)
			g.end(t, a.kind)
			return 0, nil, linuxerr.EPERM
		}
		value, control, err := fn(t, nr, args)
		if err == nil {
			g.tellOpened(t, r, a, asked, int32(value))
			return value, control, nil
		}
		if a.what == "" {
			a.what = named(t, args, dir, file)
		}
		if a.kind == events.Open && inLibrary(t, a.what) {
			r.Record(events.Library, libraryName, "", false)
		} else {
			g.outcome(r, a, err)
		}
		return value, control, err
	}
}

// tellOpened tells of an open that gave a descriptor.
func (g *guard) tellOpened(t *kernel.Task, r *events.Recorder, a told, asked uint64, fd int32) {
	f := t.GetFile(fd)
	if f == nil { // another thread was faster
		r.Record(a.kind, cmp.Or(a.what, "(closed)"), "", false)
		return
	}
	defer f.DecRef(t)
	a.what = fileName(t, f)
	scratch := inScratch(a.what)
	switch {
	case events.IsDevice(a.what):
		a.kind = events.Open
	case a.kind != events.Open && scratch:
		g.made.add(t, f)
	case a.kind == events.Open && strings.HasPrefix(a.what, "/memfd:"):
		r.Count(events.Open) // memory, such as the sealed text that an interpreter reads
		return
	case a.kind == events.Open && scratch && (asked&linux.O_DIRECTORY != 0 || g.made.has(t, f)):
		r.Count(events.Open) // it looks at what it made, or the harness does at the end
		return
	case a.kind == events.Open && inLibrary(t, a.what):
		a.kind, a.what = events.Library, libraryName
	}
	r.Record(a.kind, a.what, a.detail, false)
}

// changeKind is what an open that may change its file will do.
func changeKind(t *kernel.Task, a told, flags uint64) events.Kind {
	switch {
	case events.IsDevice(a.what):
		return events.Open
	case flags&linux.O_CREAT != 0 && !exists(t, a.what):
		return events.Create
	}
	return a.kind
}

// fileName names an open file, as the kernel does.
func fileName(t *kernel.Task, f *vfs.FileDescription) string {
	root := t.FSContext().RootDirectory()
	defer root.DecRef(t)
	name, err := t.Kernel().VFS().PathnameWithDeleted(t, root, f.VirtualDentry())
	if err != nil {
		return "(unnamed)"
	}
	return name
}

// fileSet is a bounded set of files.
type fileSet struct {
	mu    sync.Mutex
	files map[fileID]bool
}

type fileID struct {
	device uint32
	inode  uint64
}

// maxMade bounds the set of files that a program opened to change them; files
// beyond that are told of again when they are read.
const maxMade = 8192

func idOf(t *kernel.Task, f *vfs.FileDescription) (fileID, bool) {
	stat, err := f.Stat(t, vfs.StatOptions{Mask: linux.STATX_INO})
	return fileID{stat.DevMinor, stat.Ino}, err == nil
}

func (s *fileSet) add(t *kernel.Task, f *vfs.FileDescription) {
	id, ok := idOf(t, f)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[fileID]bool{}
	}
	if ok && len(s.files) < maxMade {
		s.files[id] = true
	}
}

func (s *fileSet) has(t *kernel.Task, f *vfs.FileDescription) bool {
	id, ok := idOf(t, f)
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok && s.files[id]
}

func inScratch(name string) bool {
	for _, dir := range scratchDirs() {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// libraryName stands for the files that are not named one by one.
const libraryName = "the runtime's own files"

// inLibrary reports whether a file is, or would be, the runtime's own: below a
// folder of the box's root image but /etc. A loader looks in many folders that
// are not there, so that the nearest one that is decides.
func inLibrary(t *kernel.Task, name string) bool {
	const most = 8 // folders that are looked for
	name = path.Clean(name)
	if name == "/etc/ld.so.cache" {
		return true
	}
	root := t.FSContext().RootDirectory()
	defer root.DecRef(t)
	dir := name
	if !path.IsAbs(name) {
		return false
	}
	for range most {
		dir = path.Dir(dir)
		if dir == "/" || dir == "/etc" || strings.HasPrefix(dir, "/etc/") || inScratch(dir) {
			return false
		}
		folder, err := t.Kernel().VFS().GetDentryAt(t, t.Credentials(), pathOperation(root, dir), &vfs.GetDentryOptions{})
		if err != nil {
			continue
		}
		defer folder.DecRef(t)
		return folder.Mount() == root.Mount()
	}
	return false
}

// pathOperation finds an absolute path.
func pathOperation(root vfs.VirtualDentry, name string) *vfs.PathOperation {
	return &vfs.PathOperation{Root: root, Start: root, Path: fspath.Parse(name), FollowFinalSymlink: true}
}

// wrote counts the bytes that a call wrote to a file of the scratch directories.
// Those that a program writes to memory that it mapped are not seen.
func (g *guard) wrote(fn kernel.SyscallFn, fd int) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		value, control, err := fn(t, nr, args)
		if r := g.events.Load(); err == nil && value > 0 && r.On() && onTmpfs(t, args[fd].Int()) {
			r.Wrote(uint64(value))
		}
		return value, control, err
	}
}

func onTmpfs(t *kernel.Task, fd int32) bool {
	f := t.GetFile(fd)
	if f == nil {
		return false
	}
	defer f.DecRef(t)
	mount := f.VirtualDentry().Mount()
	return mount != nil && mount.Filesystem().FilesystemType().Name() == "tmpfs"
}
