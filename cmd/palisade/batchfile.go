package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// Bounds of a batch's input, in bytes and lines; it is read whole before the
// first program runs, so that a mistake in its last line costs none.
const (
	maxLine     = 64 << 20
	maxBatch    = 1 << 30
	maxPrograms = 1_000_000
)

// read parses the input; a line that is not a JSON object is kept with its
// error, so that the others run.
func (f batchFlags) read(e *env, path string) ([]program, error) {
	in := e.stdin
	if path == "-" {
		path = "standard input"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, usage("%w", err)
		}
		defer file.Close()
		in = file
	}
	var programs []program
	seen := map[string]int{}
	lines := bufio.NewReaderSize(in, 1<<20)
	total := 0
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, usage("read %s, line %d: %w", path, n, err)
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if total += len(line); total > maxBatch || len(programs) > maxPrograms {
			return nil, usage("%s has more than %d GiB or %d programs: split it", path, maxBatch>>30, maxPrograms)
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			p := f.parse(n, text)
			if at := seen[p.id]; at > 0 {
				return nil, usage("%s:%d: the id %q stands at line %d already", path, n, p.id, at)
			}
			seen[p.id] = n
			programs = append(programs, p)
		}
		if err != nil {
			return programs, nil
		}
	}
}

// readLine reads a line of at most maxLine bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, fmt.Errorf("longer than %d MiB", maxLine>>20)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// parse reads one line.
func (f batchFlags) parse(n int, text []byte) program {
	p := program{id: strconv.Itoa(n)}
	if !utf8.Valid(text) {
		p.err = errNotUTF8 // the decoder would take it, with other text than was sent
		return p
	}
	if p.err = json.Unmarshal(text, &p.fields); p.err == nil {
		if raw, ok := p.fields[f.idField]; ok {
			p.id = plain(raw)
		}
	}
	return p
}

// plain returns a JSON string's text, or any other value as it is written.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// open opens the output and reads the ids that it has.
func (f batchFlags) open(e *env) (io.WriteCloser, map[string]bool, error) {
	if f.out == "" {
		if f.resume {
			return nil, nil, usage("--resume needs --out FILE")
		}
		return nopCloser{e.stdout}, nil, nil
	}
	mode := os.O_CREATE | os.O_RDWR | os.O_EXCL
	if f.resume {
		mode = os.O_CREATE | os.O_RDWR
	}
	file, err := os.OpenFile(f.out, mode, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, nil, usage("%s exists: --resume goes on with it", f.out)
	} else if err != nil {
		return nil, nil, usage("%w", err)
	}
	// Two batches would write over each other's lines.
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		file.Close()
		return nil, nil, usage("another batch writes to %s", f.out)
	}
	done, end, err := doneIDs(file)
	if err == nil {
		err = file.Truncate(end) // a line torn by a kill is run again
	}
	if err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, nil, usage("%s: %w", f.out, err)
	}
	return file, done, nil
}

// doneIDs returns the ids of the whole lines of file, with whether each ended
// well, and where the lines end.
func doneIDs(file io.Reader) (map[string]bool, int64, error) {
	done := map[string]bool{}
	var end int64
	r := bufio.NewReaderSize(file, 1<<20)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) && torn(line) {
			return done, end, nil
		} else if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		var have struct {
			ID      *string `json:"id"`
			Run     *string `json:"run"`
			Success bool    `json:"success"`
			Match   *bool   `json:"match"`
		}
		// What is no outcome of a batch is someone's file: nothing is cut off it.
		if err := json.Unmarshal(line, &have); err != nil || have.ID == nil || have.Run == nil {
			return nil, 0, fmt.Errorf("line %d is no outcome of a batch; move the file away, or remove the line", n)
		}
		done[*have.ID] = have.Success && (have.Match == nil || *have.Match)
		end += int64(len(line))
	}
}

// torn reports whether a line without an end is the beginning of an outcome.
func torn(line []byte) bool {
	const begin = `{"id":`
	return bytes.HasPrefix([]byte(begin), line) || bytes.HasPrefix(line, []byte(begin))
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
