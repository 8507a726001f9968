package rules

import (
	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/secret"
	"palisade/internal/lang"
)

var _ = add(Rule{
	ID: "credential", Title: "Carries a credential in clear", Severity: palisade.High, Capability: palisade.CapCredential, CWE: 798,
	Says:        "carries what looks like a credential",
	Description: "What stands in a program, a prompt or a file is on the record and may be shown to a model: a credential there is no longer secret.",
	Remedy:      "Take the credential out and revoke it. Programs get what they need as data.",
	Bad:         []string{"key = 'AKIAQYLPMN5HHHFPZAM2'", "def f():\n    return 'ghp_1234567890abcdefABCDEF1234567890abcd'"},
	Good:        []string{"key = input()", "key = 'your-api-key'", "import os\nkey = os.environ['AWS_KEY']"},
})

// maxData bounds what is searched of a prompt and of each file, in bytes. They
// are data: what lies behind it cannot run.
const maxData = 256 << 10

// credentials finds credentials in code, in the prompt and in files.
func (r *reading) credentials(s palisade.Submission) {
	search := func(name string, source []byte) {
		if len(source) > r.limit() {
			return // it is too large to be read at all, which is a finding
		}
		found, complete := r.code.Find(name, string(source))
		r.carries(name, found)
		if !complete {
			r.facts = append(r.facts, failed(name, "too many words that come with credentials"))
		}
	}
	search(s.Program.Name, s.Program.Source)
	for _, m := range s.Program.Modules {
		search(lang.ModuleFile(m.Name), m.Source)
	}
	found, _ := r.data.Find("", s.Prompt[:min(len(s.Prompt), maxData)])
	r.carries("prompt", found)
	for _, f := range s.Files {
		found, _ := r.data.Find(f.Name, string(f.Data[:min(len(f.Data), maxData)]))
		r.carries(f.Name, found)
	}
}

func (r *reading) carries(file string, found []secret.Found) {
	for _, f := range found {
		r.facts = append(r.facts, analysis.Fact{
			Capability: palisade.CapCredential, Argument: f.Rule, File: file, Line: f.Line, Column: f.Column, Evidence: f.Description,
		})
	}
}
