package sandboxtest

import (
	"context"
	"crypto/sha256"
	"testing"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/python"
)

// preparer is the real one: what it refuses never reaches a sandbox.
func preparer(v python.Version) palisade.Preparer { return lang.Preparer{Python: v} }

// reader is an inspector that finds nothing wrong, but digests what it judged
// as the real one does.
type reader struct {
	t       testing.TB
	version python.Version
	lenient bool // what cannot be parsed has no tree, and is refused
}

func (r reader) Inspect(_ context.Context, s palisade.Submission) (palisade.Inspection, error) {
	if s.Program.Language != palisade.Python {
		return palisade.Inspection{Trees: map[string]palisade.Digest{"": sha256.Sum256(s.Program.Source)}}, nil
	}
	trees := map[string]palisade.Digest{}
	add := func(name string, source []byte) {
		var tree *python.Module
		source, err := python.Normalize(source)
		if err == nil {
			tree, err = python.Parse(source, python.Options{Version: r.version})
		}
		if err != nil && r.lenient {
			return
		}
		if err != nil {
			r.t.Errorf("parse %q: %v", name, err)
			return
		}
		trees[name] = python.Digest(tree)
	}
	add("", s.Program.Source)
	for _, m := range s.Program.Modules {
		add(m.Name, m.Source)
	}
	return palisade.Inspection{Trees: trees}, nil
}
