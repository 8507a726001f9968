package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"palisade/internal/audit"
	"palisade/internal/audit/mirror"
	"palisade/internal/config"
	"palisade/internal/redact"
)

// recordFlags say where the record lies. Empty fields are the configuration's:
// with --log and --key no configuration is read, so that a copy of the record
// can be looked at on any machine.
type recordFlags struct {
	log, key string
	heads    []string
}

// place is where a record lies and what it is held to.
type place struct {
	dir, publicKey string
	mirrors        []string // files and folders with mirrored heads
	blind          bool     // there are mirrors, and none that can be read back
	name           string   // the record's, in heads
}

// place finds the record.
func (e *env) place(f recordFlags) (place, error) {
	p := place{dir: f.log, mirrors: f.heads}
	keyFile := f.key
	if p.dir == "" || keyFile == "" {
		cfg, err := e.settings()
		if err != nil {
			return place{}, err
		}
		p.name = cfg.Audit.Name
		if p.dir == "" {
			p.dir = cfg.Audit.Folder
			if len(p.mirrors) == 0 {
				p.mirrors = mirrorFolders(cfg)
				p.blind = len(p.mirrors) == 0 && len(cfg.Audit.Mirrors) > 0
			}
		}
		if keyFile == "" {
			keyFile = cfg.Audit.PublicKey
		}
	}
	key, err := audit.ReadPublicKey(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return p, p.noRecord(keyFile)
	}
	if err != nil {
		return place{}, usage("%w", err)
	}
	p.publicKey = key
	return p, nil
}

// noRecord says that there is no public key: because nothing was recorded yet,
// or because all of it was deleted, which a copied head gives away.
func (p place) noRecord(keyFile string) error {
	copies, err := p.mirrored()
	if err != nil {
		return usage("there is no public key at %s, and the second places cannot tell whether there should be: %w", keyFile, err)
	}
	if of := audit.Named(copies, p.name); len(of) > 0 {
		return exit(1, "tampered: the record is gone with its key: %s is not there, and %s holds a head of it", keyFile, of[len(of)-1].Where)
	}
	return usage("there is no record yet: no public key at %s (the first run makes it)", keyFile)
}

// mirrorFolders are the mirrors that can be read back: not a system log and not
// a command, whose copies audit verify --head reads from where they went.
func mirrorFolders(cfg *config.Config) []string {
	var folders []string
	for _, m := range cfg.Audit.Mirrors {
		if m.Kind == "folder" {
			folders = append(folders, m.Folder)
		}
	}
	return folders
}

// mirrored reads the heads that were copied to second places. A place that
// cannot be read is an error: without it a cut could not be told.
func (p place) mirrored() ([]mirror.Copy, error) {
	var copies []mirror.Copy
	for _, path := range p.mirrors {
		more, err := mirror.Read(path)
		if err != nil {
			return nil, exit(2, "read mirrored heads: %w", err)
		}
		copies = append(copies, more...)
	}
	return copies, nil
}

// anchor says what to do about a record that is held to no copied head.
func (p place) anchor() string {
	if len(p.mirrors) > 0 {
		return "no head of this record is in " + redact.EscapeLine(strings.Join(p.mirrors, ", ")) + ": the next run puts one there; or name other places with --head"
	}
	return "to anchor it, have its heads copied elsewhere (audit.mirrors in config.yaml), or name where copies are with --head FILE"
}

// reader opens the record for reading.
func (e *env) reader(f recordFlags) (*audit.Reader, error) {
	p, err := e.place(f)
	if err != nil {
		return nil, err
	}
	r, err := audit.OpenReader(p.dir, p.publicKey)
	if err != nil {
		return nil, exit(1, "%w", err)
	}
	return r, nil
}

// table prints rows in columns. Cells are foreign text: each stays on one line
// and is escaped.
func (e *env) table(rows [][]string) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			end := "\t"
			if i == len(row)-1 {
				end = "\n"
			}
			if _, err := fmt.Fprint(w, redact.EscapeLine(cell)+end); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// print writes text that may hold foreign words.
func (e *env) print(text string) error { return printTo(e.stdout, text) }

func printTo(w io.Writer, text string) error {
	_, err := fmt.Fprint(w, redact.Escape(text))
	return err
}

// sorted gives a map's entries in the order of their keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// done tells whether the context has ended, as an error of the command.
func done(ctx context.Context) error {
	if ctx.Err() != nil {
		return exit(130, "interrupted")
	}
	return nil
}
