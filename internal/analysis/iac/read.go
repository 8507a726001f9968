package iac

import (
	"fmt"

	"palisade"
	"palisade/internal/analysis"
)

// Read reads a text whose language is Terraform, Kubernetes or Dockerfile. For
// Terraform the dialect "json" is the JSON syntax; it is also known by its first
// byte. The error is an [analysis.SyntaxError] where the text is not of its
// language, and any other where the reading failed or ran over its budget.
func Read(t analysis.Text) (out analysis.Reading, err error) {
	r := &report{file: t.Name}
	defer func() {
		if err != nil {
			out = analysis.Reading{}
		}
	}()
	defer guard(&err)
	switch t.Language {
	case palisade.Terraform:
		err = readTerraform(r, t)
	case palisade.Kubernetes:
		err = readKubernetes(r, t)
	case palisade.Dockerfile:
		err = readDockerfile(r, t)
	default:
		err = fmt.Errorf("read %s: not a language of infrastructure: %q", t.Name, t.Language)
	}
	return analysis.Reading{Facts: analysis.Sort(r.facts), Embedded: r.embedded}, err
}
