package mirror

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxHead = 4096    // bytes of a signed head, generously
	maxLine = 1 << 16 // bytes of a line that is looked at
	suffix  = ".heads"
	mark    = `{"time":"`
)

// Copy is a signed head as it was found in a mirror. It is not verified.
type Copy struct {
	Where string // file and line
	Note  []byte // the signed head
	// Damaged says why there is no head here although there should be one.
	Damaged string
	// Torn is set when the copy was begun and not finished, as a crash leaves it.
	Torn bool
}

type line struct {
	Time time.Time `json:"time"`
	Head string    `json:"head"`
}

// Format returns the line that stands for a head, ending in a newline.
func Format(at time.Time, signed []byte) ([]byte, error) {
	if len(signed) > maxHead {
		return nil, fmt.Errorf("head: %d bytes, at most %d", len(signed), maxHead)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line{at.UTC(), string(signed)}); err != nil {
		return nil, fmt.Errorf("format head: %w", err)
	}
	return b.Bytes(), nil
}

// Parse reads the heads in a text: lines that Format wrote, with anything before
// them (as in a system log), and signed heads as they are (as in a checkpoint
// file). Other lines are passed over. The error is the reader's.
func Parse(r io.Reader, where string) ([]Copy, error) {
	var copies []Copy
	var raw rawNote
	in := bufio.NewReaderSize(r, maxLine)
	for n := 1; ; n++ {
		text, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			// Too long to be ours; skip the rest of it.
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			text = nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return copies, fmt.Errorf("read %s: %w", where, err)
		}
		at := fmt.Sprintf("%s:%d", where, n)
		if i := bytes.Index(text, []byte(mark)); i >= 0 {
			copies = append(copies, parseLine(bytes.TrimSpace(text[i:]), at))
		} else if strings.HasSuffix(where, suffix) && len(bytes.TrimSpace(text)) > 0 {
			// Our own file holds nothing else.
			begun := strings.HasPrefix(mark, strings.Trim(string(text), "\x00\r\n"))
			copies = append(copies, Copy{Where: at, Damaged: "not a copied head", Torn: begun})
		} else if signed := raw.add(text); signed != nil {
			copies = append(copies, Copy{Where: at, Note: signed})
		}
		if err != nil {
			return copies, nil
		}
	}
}

func parseLine(text []byte, at string) Copy {
	var l line
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil || l.Head == "" || len(l.Head) > maxHead {
		return Copy{Where: at, Damaged: "not a copied head", Torn: errors.Is(err, io.ErrUnexpectedEOF)}
	}
	return Copy{Where: at, Note: []byte(l.Head)}
}

// rawNote collects the lines of signed heads that stand in a text as they are:
// three lines, an empty one, a signature.
type rawNote struct{ lines [][]byte }

func (r *rawNote) add(text []byte) []byte {
	const signature = "— "
	r.lines = append(r.lines, bytes.Clone(text))
	if len(r.lines) > 5 {
		r.lines = r.lines[1:]
	}
	if len(r.lines) < 5 || !bytes.HasPrefix(text, []byte(signature)) || len(bytes.TrimSpace(r.lines[3])) > 0 {
		return nil
	}
	signed := bytes.Join(r.lines, nil)
	r.lines = nil
	if len(signed) > maxHead {
		return nil
	}
	return signed
}

// Read reads all heads from a path: a folder that a Folder wrote, or a file as
// Parse takes it.
func Read(path string) ([]Copy, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist: mount it, or name another place that heads were copied to", path)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return readFile(path)
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(path), "*"+suffix))
	if err != nil {
		return nil, err
	}
	var copies []Copy
	for _, name := range names {
		more, err := readFile(name)
		if err != nil {
			return nil, err
		}
		copies = append(copies, more...)
	}
	return copies, nil
}

func readFile(name string) ([]Copy, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Parse(f, name)
}

// openRegular opens a file and does not wait on a pipe.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("read %s: not a regular file", name)
	}
	return f, nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
