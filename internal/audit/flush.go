package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sys/unix"
)

// Flush turns the journal into tiles and packs. It is done now and then by
// itself; do it before handing the folder to tools that read C2SP tiles.
func (l *Log) Flush(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.exclusive(ctx, l.flush)
}

// flush leaves the old files usable until the journal is started anew: a crash
// at any point leaves a log that gives the same entries.
func (l *Log) flush() error {
	s := l.s
	if len(s.added) == 0 {
		return nil
	}
	if err := l.sync(); err != nil {
		return err
	}
	tiles, tail, files, err := l.writeFlushed()
	if err != nil {
		err = fmt.Errorf("flush audit log: %w", err)
		if lacksSpace(err) {
			return &noSpaceError{err}
		}
		return err
	}
	if err := errors.Join(syncDirs(l.dir, append(files, fileCheckpoint)), l.headF.Sync()); err != nil {
		return fmt.Errorf("flush audit log: %w", err)
	}
	before := s.base.Size
	if err := l.restart(s.head); err != nil {
		return err
	}
	s.base, s.tiles, s.tail, s.added = s.head, tiles, tail, nil
	l.c.Logger.Debug("audit log: flushed", slog.Int64("entries", s.base.Size-before))
	return l.dropPartials(before)
}

// noSpaceError says that there was no space to flush into: nothing of the log was
// changed, and the journal still holds, durably, all that it held.
type noSpaceError struct{ err error }

func (e *noSpaceError) Error() string { return e.err.Error() }
func (e *noSpaceError) Unwrap() error { return e.err }

func lacksSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// overdue reports whether the journal has outgrown what is flushed.
func (l *Log) overdue() bool { return l.s.end > l.c.FlushBytes }

// flushWritten flushes after a frame was written. That frame is durable, and a run
// that was begun has its space in the journal: a lack of space for the tiles does
// not undo either. The next append tries again, and no run begins before one of
// them succeeds.
func (l *Log) flushWritten() error {
	err := l.flush()
	if full := (*noSpaceError)(nil); errors.As(err, &full) {
		l.c.Logger.Error("audit log: no space to flush; no run begins until there is", slog.Any("error", err))
		return nil
	}
	return err
}

// writeFlushed writes packs, tiles and, last, the checkpoint. After an error it
// takes away the files that it made: on a full disk each try would add to them.
func (l *Log) writeFlushed() (t tiler, tail [][]byte, files []string, err error) {
	packs, made, err := l.writePacks()
	if err == nil {
		var more []string
		t, tail, files, more, err = l.writeTiles()
		made = append(made, more...)
	}
	if err == nil {
		err = writeFile(l.dir, fileCheckpoint, l.s.head.Note)
	}
	if err == nil {
		return t, tail, append(packs, files...), nil
	}
	for _, name := range made {
		err = errors.Join(err, ignoreMissing(l.dir.Remove(name)))
	}
	return tiler{}, nil, nil, err
}

// absent reports whether there is no file of a name.
func (l *Log) absent(name string) bool {
	_, err := l.dir.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// writePacks writes the payloads of the journal's entries. made are those of the
// files that were not there before; they are given with an error too.
func (l *Log) writePacks() (files, made []string, err error) {
	base := l.s.base.Size
	for i := 0; i < len(l.s.added); {
		n := l.s.added[i].entry.Index / tileWidth
		var records []byte
		for ; i < len(l.s.added) && l.s.added[i].entry.Index/tileWidth == n; i++ {
			records = appendPackRecord(records, l.s.added[i].entry.Index, l.s.added[i].blob)
		}
		files = append(files, packPath(n))
		if l.absent(packPath(n)) {
			made = append(made, packPath(n))
		}
		if err := extendPack(l.dir, n, base, records); err != nil {
			return nil, made, err
		}
	}
	return files, made, nil
}

// writeTiles writes the tiles and bundles that the journal's entries change:
// per flush the full ones, and one partial a level. made is as in writePacks.
func (l *Log) writeTiles() (t tiler, tail [][]byte, files, made []string, err error) {
	write := func(tile tlog.Tile, data []byte) error {
		name := tilePath(tile)
		files = append(files, name)
		if l.absent(name) {
			made = append(made, name)
		}
		return writeFile(l.dir, name, data)
	}
	full := func(level int, n int64, hashes []tlog.Hash) error {
		return write(tlog.Tile{H: tileHeight, L: level, N: n, W: tileWidth}, encodeHashes(hashes))
	}
	t = l.s.tiles.clone()
	tail = append(tail, l.s.tail...)
	for _, p := range l.s.added {
		tail = append(tail, p.line)
		if len(tail) == tileWidth {
			if err := write(bundleTile(t.n/tileWidth, tileWidth), appendEntries(nil, tail...)); err != nil {
				return tiler{}, nil, nil, made, err
			}
			tail = nil
		}
		if err := t.add(tlog.RecordHash(p.line), full); err != nil {
			return tiler{}, nil, nil, made, err
		}
	}
	for _, p := range partials(t.n) {
		if err := write(p, encodeHashes(t.levels[p.L])); err != nil {
			return tiler{}, nil, nil, made, err
		}
	}
	if len(tail) > 0 {
		err = write(bundleTile(t.n/tileWidth, len(tail)), appendEntries(nil, tail...))
	}
	return t, tail, files, made, err
}

// restart starts the journal anew after base.
func (l *Log) restart(base Head) error {
	header := appendFrame(nil, typeHeader, base.Note)
	err := l.file.Truncate(0)
	if err == nil {
		_, err = l.file.WriteAt(header, 0)
	}
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		l.broken = fmt.Errorf("start audit journal anew: %w", err)
		return l.broken
	}
	l.s.header, l.s.end, l.reserved = header, int64(len(header)), false
	return nil
}

// reserve takes the disk space for the journal in advance, so that a run that was
// allowed to start can be recorded to its end.
func (l *Log) reserve() error {
	if l.reserved {
		return nil
	}
	err := unix.Fallocate(int(l.file.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, l.c.FlushBytes+l.c.FlushBytes/4)
	if err != nil && !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("reserve space for audit log: %w", err)
	}
	l.reserved = true
	return nil
}

// dropPartials deletes the partial tiles of the tree of size old, and whatever a
// crash left beside them, where wider ones took their place.
func (l *Log) dropPartials(old int64) error {
	tiles := partials(old)
	if w := int(old % tileWidth); w > 0 {
		tiles = append(tiles, bundleTile(old/tileWidth, w))
	}
	var errs []error
	for _, t := range tiles {
		level := max(t.L, 0)
		total := l.s.base.Size >> (tileHeight * level)
		keep := int(min(total-t.N*tileWidth, tileWidth))
		for _, t.W = range widths(l.dir, t) {
			if t.W != keep {
				errs = append(errs, ignoreMissing(l.dir.Remove(tilePath(t))))
			}
		}
		if keep == tileWidth {
			t.W = tileWidth
			errs = append(errs, ignoreMissing(l.dir.RemoveAll(tilePath(t)+".p")))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("flush audit log: drop old tiles: %w", err)
	}
	return nil
}
