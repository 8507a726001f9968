package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "js-eval", Title: "Runs text as code", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 95,
	Says:        "could run text as code",
	Description: "Code that is made at run time was not read.",
	Remedy:      "Write the code itself; JSON.parse reads plain values.",
	Bad:         []string{"g(Function)", "[Function].map(f => g(f))"},
	Good:        []string{"JSON.parse('[1]')", "typeof eval", "f instanceof Function"},
})

var _ = add(Rule{
	ID: "js-code-in-text", Title: "Runs a string as code", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 95,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindText },
	Says:        "could run a string as code",
	Description: "Some strings are code: those for eval, Function, setTimeout, vm and data: modules. Where the string is known, it is read too.",
	Remedy:      "Write the code itself.",
	Bad: []string{
		"eval('1 + 1')", "(0, eval)('x')", "new Function('a', 'return a')(1)", "setTimeout('f()', 1)",
		"require('vm').runInNewContext('1')", "import('data:text/javascript,1')", "globalThis[['ev', 'al'].join('')]('1')",
		"Reflect.apply(eval, null, ['1'])", "new (require('worker_threads').Worker)('1', { eval: true })", "\\u0065val('1')",
	},
	Good: []string{"const o = { eval(x) { return x } }; o.eval('1')", "setTimeout(() => 1, 1)", "'eval(1)'"},
})

var _ = add(Rule{
	ID: "js-code-computed", Title: "Runs a computed string as code", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 95,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindComputed },
	Says:        "could run a string that is computed as code",
	Description: "Code that is only known when the program runs was not read.",
	Remedy:      "Write the code itself.",
	Bad:         []string{"eval(process.argv[2])", "require('repl').start()", "const e = eval; e(x)", "fetch(u).then(r => r.text()).then(eval)"},
	Good:        []string{"const evaluate = x => x; evaluate(y)"},
})

var _ = add(Rule{
	ID: "js-escaped-name", Title: "Writes a name with an escape", Severity: palisade.High, Capability: palisade.CapObfuscation, CWE: 506,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindHidden },
	Says:        "writes a name with an escape, so that a reader does not see it",
	Description: "A name such as \\u0065val means eval. Nobody writes a name so who wants it to be read.",
	Remedy:      "Write the name itself.",
	Bad:         []string{"\\u0065val('1')", "global.\\u{65}val('1')", "pro\\u0063ess.exit()", "import \\u0066s from 'fs'; fs.rmSync('a')"},
	Good:        []string{"'\\u0065val'", "`\\u{65}`", "/\\u0065/u.test(x)", "// \\u0065val\nf()", "é = 1"},
})

var _ = add(Rule{
	ID: "js-obfuscation", Title: "Hides a name or code", Severity: palisade.High, Capability: palisade.CapObfuscation, CWE: 506,
	Says:        "puts a name or code together that could have been written",
	Description: "A module's or a property's name that is decoded or joined from pieces is there to escape a reader.",
	Remedy:      "Write the name itself.",
	Bad: []string{
		"require(atob('ZnM='))", "const k = ['bind', 'ing']; process[k.join('')]('x')", "eval(Buffer.from('MSsx', 'base64').toString())",
		"const s = 'sf'; require(s.split('').reverse().join(''))", "globalThis[String.fromCharCode(101, 118, 97, 108)]('1')",
	},
	Good: []string{
		"const n = 'fs'; require(n)", "console[['lo', 'g'].join('')]('x')", "atob('ZnM=')", "for (const m of ['fs', 'os']) require(m)",
	},
})

var _ = add(Rule{
	ID: "js-native", Title: "Reaches native code", Severity: palisade.Critical, Capability: palisade.CapNative, CWE: 114,
	Says:        "could load or reach native code",
	Description: "Native code, WebAssembly and the runtime's own bindings are not read, and not held by the language.",
	Remedy:      "Write it in JavaScript, with Node.js's public modules.",
	Bad: []string{
		"process.binding('spawn_sync')", "const p = process; p['binding']('fs')", "process.dlopen({}, 'a.node')", "require('./a.node')",
		"WebAssembly.instantiate(b)", "const { _linkedBinding: b } = process; b('x')", "Reflect.get(process, 'binding')",
		"with (process) { binding('x') }", "require('v8').setFlagsFromString('--x')",
	},
	Good: []string{"const o = { binding() {} }; o.binding('x')", "process.cwd()"},
})

var _ = add(Rule{
	ID: "js-deserialize", Title: "Loads data that can run code", Severity: palisade.High, Capability: palisade.CapDeserialize, CWE: 502,
	Says:        "could load data that can run code",
	Description: "Some formats carry functions, which run when they are loaded.",
	Remedy:      "Use JSON.",
	Bad:         []string{"require('node-serialize').unserialize(x)", "require('v8').deserialize(b)"},
	Good:        []string{"JSON.parse(x)"},
})
