package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionInfo is what `palisade version --json` prints.
type versionInfo struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	GVisor  string `json:"gvisor"`
}

func newVersionCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print what this binary is made of",
		Example: `  palisade version
  palisade version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := versionInfo{e.version, runtime.Version(), runtime.GOOS, runtime.GOARCH, moduleVersion("gvisor.dev/gvisor")}
			if asJSON {
				return writeJSON(e.stdout, v)
			}
			_, err := fmt.Fprintf(e.stdout, "palisade %s (%s %s/%s, gVisor %s)\n", v.Version, v.Go, v.OS, v.Arch, v.GVisor)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// moduleVersion returns the version of a module that is linked in.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dep := range info.Deps {
		if dep.Path == path {
			return dep.Version
		}
	}
	return "unknown"
}
