package rules

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/lookalike"
	"palisade/internal/lang"
)

var _ = add(Rule{
	ID: "py-lookalike", Title: "Names a package that looks like a well-known one", Severity: palisade.High, Capability: palisade.CapImport, CWE: 1357,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindLookalike },
	Says:        "imports what looks like a well-known package and is not it",
	Description: "Attackers register names that are near a well-known package's, and wait for a slip, or for a model to make the name up.",
	Remedy:      "Write the name of the package that is meant.",
	Bad:         []string{"import reqeusts", "from pandsa import DataFrame", "def f():\n    import tensorfow.keras"},
	Good:        []string{"import requests", "import mymodule", "import numpy as np", "from os import path"},
})

var _ = add(Rule{
	ID: "sh-lookalike", Title: "Installs a package that looks like a well-known one", Severity: palisade.High, Capability: palisade.CapInstall, CWE: 1357,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindLookalike },
	Says:        "installs what looks like a well-known package and is not it",
	Description: "Attackers register names that are near a well-known package's, and wait for a slip, or for a model to make the name up.",
	Remedy:      "Write the name of the package that is meant.",
	Bad:         []string{"pip install reqeusts", "pip3 install -U 'pandsa>=2'", "npm i lodahs@1"},
	Good:        []string{"pip install requests", "npm i lodash", "pip install ./reqeusts", "pip install -r requirements.txt"},
})

var _ = add(Rule{
	ID: "js-lookalike", Title: "Names a package that looks like a well-known one", Severity: palisade.High, Capability: palisade.CapImport, CWE: 1357,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindLookalike },
	Says:        "imports what looks like a well-known package and is not it",
	Description: "Attackers register names that are near a well-known package's, and wait for a slip, or for a model to make the name up.",
	Remedy:      "Write the name of the package that is meant.",
	Bad:         []string{"require('expres')", "import _ from 'lodahs'", "await import('crossenv')"},
	Good:        []string{"require('express')", "import _ from 'lodash/fp'", "require('./expres')", "require('node:fs')", "require('@scope/expres')"},
})

// lookalikes finds imports of names that look like a well-known package's. What
// comes with the program, and the language's own library, is what it is.
func (r *reading) lookalikes(p palisade.Program) {
	own := map[string]bool{}
	for _, m := range p.Modules {
		top, _, _ := strings.Cut(m.Name, ".")
		own[top] = true
	}
	for _, f := range r.facts {
		if f.Capability == palisade.CapInstall && f.Language == palisade.Shell {
			r.installs(f)
		}
		if f.Capability != palisade.CapImport || f.Argument == "" || f.Unknown {
			continue
		}
		e, top := ecosystem(f)
		if own[top] || e == lookalike.Python && lang.IsStandardModule(top) {
			continue
		}
		if near := lookalike.Near(e, top); near != "" {
			f.Kind, f.Symbol = analysis.KindLookalike, near
			r.facts = append(r.facts, f)
		}
	}
}

// installers are the commands that install packages by name. Source: their manuals.
var installers = map[string]lookalike.Ecosystem{
	"pip": lookalike.Python, "pip3": lookalike.Python, "pipx": lookalike.Python, "uv": lookalike.Python, "poetry": lookalike.Python, "python": lookalike.Python,
	"python3": lookalike.Python, "npm": lookalike.NPM, "npx": lookalike.NPM, "yarn": lookalike.NPM, "pnpm": lookalike.NPM, "bun": lookalike.NPM,
}

// installs finds names that an installer is given and that look like a well-known
// package's; a version, an extra or a marker behind a name is no part of it.
func (r *reading) installs(f analysis.Fact) {
	e, ok := installers[f.Symbol]
	if !ok {
		return
	}
	for word := range strings.FieldsSeq(f.Argument) {
		name := word
		if i := strings.IndexAny(name, "<>=!~[;@"); i > 0 {
			name = name[:i]
		}
		if strings.HasPrefix(name, "-") || strings.ContainsAny(name, "/:") {
			continue
		}
		if near := lookalike.Near(e, name); near != "" {
			f.Kind, f.Symbol, f.Argument = analysis.KindLookalike, near, name
			r.facts = append(r.facts, f)
			return
		}
	}
}

// ecosystem says where an imported name comes from, and the package's part of
// it: of a scoped package the whole, since its scope is an owner.
func ecosystem(f analysis.Fact) (lookalike.Ecosystem, string) {
	if f.Language == palisade.JavaScript || f.Language == palisade.TypeScript {
		top, _, _ := strings.Cut(strings.TrimPrefix(f.Argument, "node:"), "/")
		return lookalike.NPM, top
	}
	top, _, _ := strings.Cut(f.Argument, ".")
	return lookalike.Python, top
}
