package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// maxHead bounds a signed head in bytes. The file "head" has exactly this
// length, filled up with newlines, so that it is rewritten in place within one
// disk sector.
const maxHead = 512

// Head is a signed statement: the log had these entries at this size.
type Head struct {
	Origin string    // the log's name, which ends in its key's fingerprint
	Size   int64     // entries
	Root   tlog.Hash // RFC 6962 root over them
	Note   []byte    // the signed form (C2SP tlog-checkpoint)
}

// String returns "origin size root".
func (h Head) String() string { return fmt.Sprintf("%s %d %s", h.Origin, h.Size, h.Root) }

func (h Head) same(o Head) bool { return h.Origin == o.Origin && h.Size == o.Size && h.Root == o.Root }

// sign returns the signed head of a tree.
func sign(s note.Signer, n int64, root tlog.Hash) (Head, error) {
	text := fmt.Sprintf("%s\n%d\n%s\n", s.Name(), n, root)
	signed, err := note.Sign(&note.Note{Text: text}, s)
	if err != nil {
		return Head{}, fmt.Errorf("sign head: %w", err)
	}
	if len(signed) > maxHead {
		return Head{}, fmt.Errorf("sign head: %d bytes, at most %d", len(signed), maxHead)
	}
	return Head{Origin: s.Name(), Size: n, Root: root, Note: signed}, nil
}

// openHead reads a signed head and checks its signature. The error is
// errNotOurs, with the head, when it is well-formed but signed by another key or
// for another origin.
func openHead(signed []byte, v note.Verifier) (Head, error) {
	if len(signed) > maxHead {
		return Head{}, fmt.Errorf("head: %d bytes, at most %d", len(signed), maxHead)
	}
	n, err := note.Open(signed, note.VerifierList(v))
	var stranger *note.UnverifiedNoteError
	switch {
	case errors.As(err, &stranger):
		h, err := parseHead(stranger.Note.Text)
		if err != nil {
			return Head{}, err
		}
		h.Note = signed
		return h, errNotOurs
	case err != nil:
		return Head{}, fmt.Errorf("head: %w", err)
	case len(n.UnverifiedSigs) > 0 || len(n.Sigs) != 1:
		return Head{}, errors.New("head: more than one signature")
	}
	h, err := parseHead(n.Text)
	if err != nil {
		return Head{}, err
	}
	h.Note = bytes.Clone(signed)
	if h.Origin != v.Name() {
		return h, errNotOurs
	}
	// The same statement has one form only: any changed byte counts.
	sig, err := base64.StdEncoding.Strict().DecodeString(n.Sigs[0].Base64)
	want := fmt.Sprintf("%s\n— %s %s\n", n.Text, v.Name(), base64.StdEncoding.EncodeToString(sig))
	if err != nil || string(signed) != want {
		return Head{}, errors.New("head: not in its stable form")
	}
	return h, nil
}

var errNotOurs = errors.New("head: signed by another key or for another log")

func parseHead(text string) (Head, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return Head{}, errors.New("head: want three lines: origin, size, root")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Head{}, fmt.Errorf("head: bad size %.24q", lines[1])
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return Head{}, errors.New("head: bad root hash")
	}
	h := Head{Origin: lines[0], Size: size}
	copy(h.Root[:], root)
	if h.Root.String() != lines[2] || lines[0] == "" {
		return Head{}, errors.New("head: not in its stable form")
	}
	return h, nil
}

// padHead and unpadHead are the form of the file "head".
func padHead(signed []byte) []byte {
	padded := bytes.Repeat([]byte{'\n'}, maxHead)
	copy(padded, signed)
	return padded
}

func unpadHead(data []byte) ([]byte, error) {
	if len(data) != maxHead {
		return nil, fmt.Errorf("head: %d bytes, want %d", len(data), maxHead)
	}
	return append(bytes.TrimRight(data, "\n"), '\n'), nil
}
