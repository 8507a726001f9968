package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/redact"
	"palisade/internal/rootfs"
	"palisade/local"
)

func newRuntimeCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runtime",
		Short: "What sandboxes are made of: build it, list it, verify it",
		Long: `A sandbox's root is one read-only image, made from this machine's interpreter, its
library and the distribution's packages: regular files that everyone may read,
without their owners, set-user-ID bits and extended attributes. It is named after
its content. The first run of each language builds it, which takes seconds; it is
built again when the machine's files have changed.`,
		Example: `  palisade runtime build
  palisade runtime list
  palisade runtime verify`,
	}
	cmd.AddCommand(newRuntimeBuildCmd(e), newRuntimeListCmd(e), newRuntimeVerifyCmd(e))
	return cmd
}

// shownImage is an image as JSON.
type shownImage struct {
	Kind    string          `json:"kind"`
	File    string          `json:"file"`
	Size    int64           `json:"size_bytes"`
	Digest  palisade.Digest `json:"sha256"`
	Built   time.Time       `json:"built"`
	Current bool            `json:"current"`
	Python  string          `json:"python"`
	Program string          `json:"program,omitempty"`
	Modules int             `json:"modules"`
}

func shown(l rootfs.Listed) shownImage {
	s := shownImage{l.Kind, l.File, l.Size, l.Digest, l.Built, l.Current, l.Python.String(), "", len(l.Python.Modules)}
	if l.Program.Path != "" {
		s.Program = l.Program.Path + " " + l.Program.Version
	}
	return s
}

func newRuntimeBuildCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "build [python | shell | javascript]...",
		Short: "Build the images that are missing, and verify those that stand",
		Long: `Build makes the image of each language that is named, or of each whose interpreter
this machine has, unless it stands and is still what the machine's files are.
Which interpreters and commands go in is configuration: runtime.*.

Exit codes: 0 all stand, 1 one could not be built, 2 usage.`,
		Example: `  palisade runtime build
  palisade runtime build python`,
		ValidArgs: []string{"python", "shell", "javascript"},
		RunE:      func(cmd *cobra.Command, args []string) error { return e.buildRuntimes(cmd.Context(), args) },
	}
}

func (e *env) buildRuntimes(ctx context.Context, names []string) error {
	named := len(names) > 0
	if !named {
		names = []string{"python", "shell", "javascript"}
	}
	for _, name := range names {
		if name != "python" && name != "shell" && name != "javascript" {
			return usage("%q has no image: there are python, shell, javascript", name)
		}
	}
	for _, name := range names {
		start := time.Now()
		img, err := await(ctx, func() (rootfs.Listed, error) {
			return local.BuildRuntime(ctx, e.local(), palisade.Language(name))
		})
		if errors.Is(err, fs.ErrNotExist) && !named && name != "python" {
			fmt.Fprintf(e.stderr, "palisade: %s: left out: %s\n", name, redact.EscapeLine(err.Error()))
			continue
		}
		if err != nil {
			return exit(1, "%s: %w", name, err)
		}
		fmt.Fprintf(e.stdout, "%-8s %s  %d MB, verified in %.1f s\n", img.Kind, img.Digest, img.Size/1_000_000, time.Since(start).Seconds())
	}
	return nil
}

func newRuntimeListCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the images that stand",
		Example: "  palisade runtime list --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := local.Runtimes(e.local())
			if err != nil {
				return exit(1, "%w", err)
			}
			if asJSON {
				for _, l := range all {
					if err := writeJSON(e.stdout, shown(l)); err != nil {
						return err
					}
				}
				return nil
			}
			w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "kind\tMB\tbuilt\tstate\tsha256\tinside")
			for _, l := range all {
				state := "current"
				if !l.Current {
					state = "outdated"
				}
				s := shown(l)
				inside := strings.TrimSpace("python " + s.Python + " " + s.Program)
				fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.16s\t%s\n", l.Kind, l.Size/1_000_000, l.Built.Format(time.DateTime), state, l.Digest, redact.EscapeLine(inside))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}

func newRuntimeVerifyCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Hold every byte of the images to their digests",
		Long: `Verify reads each image whole and compares it with the digest that was taken when
it was built. A gate that keeps sandboxes ready does the same once, before the
first one, and uses the file that it looked at; every start sees that an image was
not written since.

Exit codes: 0 all are what was written, 1 one is not, or there is none.`,
		Example: "  palisade runtime verify",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := local.Runtimes(e.local())
			if err != nil {
				return exit(1, "%w", err)
			}
			if len(all) == 0 {
				return exit(1, "no image stands: palisade runtime build makes them")
			}
			bad := 0
			for _, l := range all {
				_, err := await(cmd.Context(), func() (struct{}, error) { return struct{}{}, l.Verify() })
				if cmd.Context().Err() != nil {
					return exit(130, "interrupted")
				}
				state := "ok"
				if err != nil {
					bad++
					state = "BAD: " + err.Error()
				}
				fmt.Fprintf(e.stdout, "%-8s %s  %s\n", l.Kind, l.Digest, redact.EscapeLine(state))
			}
			if bad > 0 {
				return exit(1, "%d images are not what was written", bad)
			}
			return nil
		},
	}
}
