package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"palisade/internal/python"
)

// parsed is what `palisade parse` prints for one file.
type parsed struct {
	Path   string          `json:"path"`
	Digest string          `json:"digest,omitempty"`
	Error  string          `json:"error,omitempty"`
	Tree   json.RawMessage `json:"tree,omitempty"`
}

func newParseCmd(e *env) *cobra.Command {
	var target string
	var digestOnly bool
	cmd := &cobra.Command{
		Use:   "parse FILE...",
		Short: "Print the tree and digest of Python files, as one JSON object a line",
		Long: `Parse reads each file as the gate would and prints the tree that would be judged
and its canonical digest, so that anyone can compare them with CPython's own.
The exit code is 1 if a file does not parse.`,
		Example: `  palisade parse program.py
  palisade parse --python 3.14 --digest *.py`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			version, err := pythonVersion(target)
			if err != nil {
				return err
			}
			w := bufio.NewWriter(e.stdout)
			failed := 0
			for _, path := range paths {
				p, err := e.parse(cmd.Context(), path, version, digestOnly)
				if err != nil {
					return err
				}
				if p.Error != "" {
					failed++
				}
				if err := writeJSON(w, p); err != nil {
					return err
				}
			}
			if err := w.Flush(); err != nil || failed == 0 {
				return err
			}
			return exit(1, "")
		},
	}
	cmd.Flags().StringVar(&target, "python", "3.11", "grammar `version`, 3.8 to 3.14")
	cmd.Flags().BoolVar(&digestOnly, "digest", false, "leave out the tree")
	return cmd
}

func (e *env) parse(ctx context.Context, path string, version python.Version, digestOnly bool) (parsed, error) {
	p := parsed{Path: path}
	var source []byte
	var err error
	if path == "-" {
		source, err = readAll(ctx, e.stdin, "standard input", maxCode)
	} else {
		source, err = readFile(ctx, path, maxCode)
	}
	if err != nil {
		return p, err
	}
	source, err = python.Normalize(source)
	if err != nil {
		p.Error = err.Error()
		return p, nil
	}
	module, err := python.Parse(source, python.Options{Version: version})
	if err != nil {
		p.Error = err.Error()
		return p, nil
	}
	digest := python.Digest(module)
	p.Digest = fmt.Sprintf("%x", digest[:])
	if digestOnly {
		return p, nil
	}
	var tree bytes.Buffer
	if err := python.WriteJSON(&tree, module); err != nil {
		return p, exit(1, "%s: %w", path, err)
	}
	p.Tree = tree.Bytes()
	return p, nil
}

// pythonVersion reads a version such as 3.11.
func pythonVersion(s string) (python.Version, error) {
	var v python.Version
	if n, err := fmt.Sscanf(strings.TrimSpace(s), "%d.%d", &v.Major, &v.Minor); err != nil || n != 2 || v.Major != 3 || v.Minor < 8 || v.Minor > 14 {
		return v, usage("--python %s: want 3.8 to 3.14", s)
	}
	return v, nil
}
