package rules

import (
	"strings"

	"palisade/internal/analysis"
)

// What the rules of tf_*.go, k8s_*.go and docker_*.go tell apart.

// pinned reports whether code from elsewhere is of a stated version.
func pinned(f analysis.Fact) bool { return f.Kind == analysis.KindPackage && !f.Unknown }

// newest reports whether it is whatever is newest when it is fetched.
func newest(f analysis.Fact) bool { return f.Kind == analysis.KindComputed && !f.Unknown }

// webPort reports whether an opening is where a web server's are.
func webPort(f analysis.Fact) bool {
	return !f.Unknown && (strings.HasSuffix(f.Argument, ":80") || strings.HasSuffix(f.Argument, ":443"))
}

// containerRoot is the argument of facts about who runs in a container: most
// images' default is noted and no more.
func containerRoot(f analysis.Fact) bool { return f.Argument == "root in the container" }

// hostRoot reports whether all files of a machine are mounted.
func hostRoot(f analysis.Fact) bool {
	path, ok := strings.CutPrefix(f.Argument, "host path ")
	return ok && !f.Unknown && analysis.Path(path) == "/"
}

func everyoneAdmin(f analysis.Fact) bool { return strings.HasSuffix(f.Argument, " for everyone") }

func metadataService(f analysis.Fact) bool { return f.Kind == analysis.KindAddress }

func computed(f analysis.Fact) bool { return f.Unknown && f.Argument == "" }
