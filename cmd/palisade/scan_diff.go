package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// changed returns the programs of the Git work tree that changed since a
// revision, with the lines that did and what they were. Arguments narrow it down. A file that Git
// does not know yet did not change: add it first.
func changed(ctx context.Context, f scanFlags, args []string) ([]target, error) {
	if slices.Contains(args, "-") {
		return nil, usage("--diff is about files: standard input did not change since a revision")
	}
	g, err := newGit(ctx)
	if err != nil {
		return nil, err
	}
	root, err := g.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	list, err := g.run(ctx, append([]string{"diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "--ignore-submodules=all", "--diff-filter=d", "--end-of-options", f.diff, "--"}, args...)...)
	if err != nil {
		return nil, err
	}
	var targets []target
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		file := filepath.Join(strings.TrimSuffix(root, "\n"), name)
		if name == "" || f.excluded(filepath.Base(name)) || !isLinkOrFile(file) || !isProgram(file, f.language) {
			continue
		}
		t := target{path: relative(file)}
		if info, err := os.Stat(file); err == nil && info.Size() <= maxCode { // else it is not read, and all of it is told of
			patch, err := g.run(ctx, "--literal-pathspecs", "diff", "--unified=0", "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv", "--text",
				"--ignore-submodules=all", "--end-of-options", f.diff, "--", file)
			if err != nil {
				return nil, err
			}
			t.lines, t.before = changedLines(patch), g.before(ctx, f.diff, name)
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// isLinkOrFile reports whether a path is what a scan of its folder would read.
func isLinkOrFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && isFile(path, fs.FileInfoToDirEntry(info))
}

// before returns a file as it was at a revision; nothing where it was not there.
func (g git) before(ctx context.Context, revision, name string) []byte {
	text, err := g.run(ctx, "show", "--no-textconv", "--end-of-options", revision+":"+name)
	if err != nil {
		return nil
	}
	return []byte(text)
}

// changedLines reads the line numbers of the new file out of a patch without
// context: each "@@ -a,b +start,count @@" names added or changed lines.
func changedLines(patch string) map[int]bool {
	lines := map[int]bool{}
	for line := range strings.Lines(patch) {
		if !strings.HasPrefix(line, "@@ ") { // the file's own lines begin with + or -
			continue
		}
		_, rest, _ := strings.Cut(line, " +")
		span, _, _ := strings.Cut(rest, " ")
		first, many, counted := strings.Cut(span, ",")
		start, err := strconv.Atoi(first)
		count := 1
		if counted {
			count, _ = strconv.Atoi(many)
		}
		for i := 0; err == nil && i < count; i++ {
			lines[start+i] = true
		}
	}
	return lines
}

// relative is a path as seen from the working directory, where that is shorter.
func relative(file string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(here, file); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return file
}
