package foreign

import (
	"fmt"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/iac"
	"palisade/internal/analysis/js"
	"palisade/internal/analysis/shell"
	"palisade/internal/analysis/sql"
)

// Direct reads a text in this process, which a hostile text may end: it is for
// the children of a [Pool], and for tests.
func Direct(t analysis.Text) (analysis.Reading, error) {
	switch t.Language { // one line for each language
	case palisade.Terraform, palisade.Kubernetes, palisade.Dockerfile:
		return iac.Read(t)
	case palisade.SQL:
		return sql.Read(t)
	case palisade.Shell:
		return shell.Read(t)
	case palisade.JavaScript, palisade.TypeScript:
		return js.Read(t)
	default:
		return analysis.Reading{}, fmt.Errorf("no reader for the language %q", t.Language)
	}
}
