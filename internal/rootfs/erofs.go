package rootfs

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// On-disk constants of EROFS, from Documentation/filesystems/erofs.rst of the
// Linux kernel. The image uses only what the sentry reads: extended inodes
// (they carry a modification time, which .pyc files depend on), flat data
// without inlining or compression, no xattrs.
const (
	blockBits   = 12
	blockSize   = 1 << blockBits
	superOffset = 1024
	superMagic  = 0xe0f5e1e2
	inodeSize   = 64
	slotSize    = 32
	direntSize  = 12
	// formatExtendedPlain is i_format: bit 0 extended inode, bits 1-3 flat plain.
	formatExtendedPlain = 1
	// maxName is below EROFS's 255: the sentry's reader counts the padding of a
	// block as part of its last name, and refuses a sum above 255.
	maxName   = 110
	maxTarget = blockSize - 1
)

// Directory entry types, as in include/linux/fs_types.h.
const (
	typeRegular = 1
	typeDir     = 2
	typeSymlink = 7
)

// node is a file, directory or symbolic link of an image.
type node struct {
	mode   fs.FileMode // type and permissions
	size   int64
	mtime  int64 // seconds since the epoch
	nsec   uint32
	host   string // file on the host that holds the content, if content is nil
	target string // of a symbolic link
	data   []byte // content that has no file on the host

	children map[string]*node
	parent   *node
	nid      uint64
	block    uint32
	links    uint32
}

func newDir() *node {
	return &node{mode: fs.ModeDir | 0o755, children: map[string]*node{}}
}

// writeImage writes the tree below root as an EROFS image and returns its size.
// Every byte of it is also written to seen, so that a digest can cover it.
func writeImage(out *os.File, root *node, seen io.Writer) (int64, error) {
	order := number(root)
	metaBlocks := blocksFor(int64(len(order)+1) * inodeSize)
	next := uint32(1 + metaBlocks)
	dirs := map[*node][]byte{}
	for _, n := range order {
		size := n.size
		switch {
		case n.mode.IsDir():
			data, err := direntBlocks(n)
			if err != nil {
				return 0, err
			}
			dirs[n], size = data, int64(len(data))
		case n.mode&fs.ModeSymlink != 0:
			size = int64(len(n.target))
		case n.data != nil:
			size = int64(len(n.data))
		}
		n.size = size
		count := blocksFor(size)
		if int64(next)+count > 1<<31 {
			return 0, errors.New("image is too large")
		}
		n.block = next
		next += uint32(count)
	}
	w := bufio.NewWriterSize(io.MultiWriter(out, seen), 1<<20)
	if err := writeMeta(w, order, metaBlocks, next); err != nil {
		return 0, err
	}
	for _, n := range order {
		if err := writeData(w, n, dirs[n]); err != nil {
			return 0, err
		}
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	return int64(next) * blockSize, nil
}

// number gives every node its inode number and returns them in that order, the
// root first: its number must fit 16 bits.
func number(root *node) []*node {
	var order []*node
	var visit func(n, parent *node)
	visit = func(n, parent *node) {
		n.parent = parent
		n.nid = uint64(len(order)+1) * (inodeSize / slotSize)
		n.links = 1
		order = append(order, n)
		if !n.mode.IsDir() {
			return
		}
		n.links = 2
		for _, name := range sortedNames(n) {
			child := n.children[name]
			visit(child, n)
			if child.mode.IsDir() {
				n.links++
			}
		}
	}
	visit(root, root)
	return order
}

func sortedNames(n *node) []string {
	names := make([]string, 0, len(n.children))
	for name := range n.children {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func blocksFor(size int64) int64 { return (size + blockSize - 1) / blockSize }

// direntBlocks lays out a directory: per block, the entries and then their
// names, in byte order over the whole directory.
func direntBlocks(n *node) ([]byte, error) {
	type entry struct {
		name string
		nid  uint64
		kind byte
	}
	entries := []entry{{".", n.nid, typeDir}, {"..", n.parent.nid, typeDir}}
	for name, child := range n.children {
		if name == "" || len(name) > maxName || strings.ContainsAny(name, "/\x00") {
			return nil, fmt.Errorf("file name %q cannot be stored", name)
		}
		kind := byte(typeRegular)
		switch {
		case child.mode.IsDir():
			kind = typeDir
		case child.mode&fs.ModeSymlink != 0:
			kind = typeSymlink
		}
		entries = append(entries, entry{name, child.nid, kind})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })

	var out []byte
	for len(entries) > 0 {
		used, fit := 0, 0
		for fit < len(entries) && used+direntSize+len(entries[fit].name) <= blockSize {
			used += direntSize + len(entries[fit].name)
			fit++
		}
		block := make([]byte, used, blockSize)
		name := fit * direntSize
		for i, e := range entries[:fit] {
			d := block[i*direntSize:]
			binary.LittleEndian.PutUint64(d, e.nid)
			binary.LittleEndian.PutUint16(d[8:], uint16(name))
			d[10] = e.kind
			name += copy(block[name:], e.name)
		}
		entries = entries[fit:]
		if len(entries) > 0 {
			block = block[:blockSize] // the rest of the array is zero
		}
		out = append(out, block...)
	}
	return out, nil
}

func writeMeta(w io.Writer, order []*node, metaBlocks int64, blocks uint32) error {
	first := make([]byte, blockSize)
	sb := first[superOffset:]
	binary.LittleEndian.PutUint32(sb[0:], superMagic)
	sb[12] = blockBits
	binary.LittleEndian.PutUint16(sb[14:], uint16(order[0].nid))
	binary.LittleEndian.PutUint64(sb[16:], uint64(len(order)))
	binary.LittleEndian.PutUint32(sb[36:], blocks)
	binary.LittleEndian.PutUint32(sb[40:], 1) // the metadata begins at block 1
	if _, err := w.Write(first); err != nil {
		return err
	}
	meta := make([]byte, metaBlocks*blockSize)
	for _, n := range order {
		i := meta[n.nid*slotSize:]
		binary.LittleEndian.PutUint16(i[0:], formatExtendedPlain)
		binary.LittleEndian.PutUint16(i[4:], unixMode(n.mode))
		binary.LittleEndian.PutUint64(i[8:], uint64(n.size))
		binary.LittleEndian.PutUint32(i[16:], n.block)
		binary.LittleEndian.PutUint32(i[20:], uint32(n.nid))
		binary.LittleEndian.PutUint64(i[32:], uint64(n.mtime))
		binary.LittleEndian.PutUint32(i[40:], n.nsec)
		binary.LittleEndian.PutUint32(i[44:], n.links)
	}
	_, err := w.Write(meta)
	return err
}

// unixMode is st_mode as Linux spells it.
func unixMode(m fs.FileMode) uint16 {
	perm := uint16(m.Perm())
	switch {
	case m.IsDir():
		return 0o040000 | perm
	case m&fs.ModeSymlink != 0:
		return 0o120000 | perm
	default:
		return 0o100000 | perm
	}
}

// writeData writes the blocks of one node.
func writeData(w io.Writer, n *node, dir []byte) error {
	var written int64
	var err error
	switch {
	case dir != nil:
		var c int
		c, err = w.Write(dir)
		written = int64(c)
	case n.mode&fs.ModeSymlink != 0:
		written, err = io.Copy(w, strings.NewReader(n.target))
	case n.data != nil:
		var c int
		c, err = w.Write(n.data)
		written = int64(c)
	default:
		written, err = copyHost(w, n)
	}
	if err != nil {
		return err
	}
	if pad := written % blockSize; pad != 0 {
		_, err = w.Write(make([]byte, blockSize-pad))
	}
	return err
}

func copyHost(w io.Writer, n *node) (int64, error) {
	f, err := os.Open(n.host)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	written, err := io.Copy(w, io.LimitReader(f, n.size))
	if err != nil {
		return written, fmt.Errorf("copy %s: %w", n.host, err)
	}
	if written != n.size {
		return written, fmt.Errorf("copy %s: it changed while it was read", n.host)
	}
	return written, nil
}

// lookup returns the node at a clean absolute path, not following links.
func (n *node) lookup(p string) *node {
	for name := range strings.SplitSeq(strings.Trim(path.Clean(p), "/"), "/") {
		if name == "" {
			continue
		}
		if n = n.children[name]; n == nil {
			return nil
		}
	}
	return n
}
