package rules

import (
	"testing"

	"palisade"
)

func (j judge) decideScript(src string) palisade.Verdict {
	j.t.Helper()
	return j.program("agent", palisade.JavaScript, src)
}

// TestJavaScriptNeighbors holds neighbors of each reported technique to the
// same.
func TestJavaScriptNeighbors(t *testing.T) {
	j := newJudge(t)
	for technique, sources := range map[string][]string{
		"a walk to Function": {
			"[].at.constructor('return process')()", "(function(){}).constructor('return 1')()", "Object.constructor('return 1')()",
			"const c = 'con' + 'structor'; (1)[c][c]('x')()", "Reflect.construct((async () => 1).constructor, ['x'])",
			"class A { static m() {} } A.m.constructor('x')()", "[][`fil${'ter'}`].constructor(`x`)()", "(_ => _).__proto__.constructor('x')()",
			"Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => 1), 'constructor').value('x')()",
			"let f = x => x; let { constructor } = f; new constructor('x')", "Symbol.prototype.toString.constructor('x')()",
		},
		"import of a file system that reads accounts": {
			"import('node:fs').then(({ readFileSync: r }) => r('/etc/passwd'))", "(async () => (await import('fs')).promises.readFile('/etc/passwd'))()",
			"import * as f from 'fs'; f.createReadStream('/etc/./passwd').pipe(process.stdout)", "import('f' + 's').then(f => f.readFileSync('/etc' + '/shadow'))",
			"const p = ['', 'etc', 'passwd'].join('/'); require('fs').readFile(p, console.log)", "require('fs').copyFileSync('/etc/passwd', 'x')",
		},
		"the main module": {
			"process['mainModule']['require']('fs')", "const { mainModule } = process; mainModule.require('child_process')",
			"globalThis.process.mainModule.constructor._load('fs')", "Object.values({ p: process })[0].mainModule.require('fs')",
			"Reflect.get(Reflect.get(process, 'mainModule'), 'require')('fs')",
		},
		"the process's bindings": {
			"const { binding: b } = process; b('fs')", "process._linkedBinding('fs')", "[process][0].binding('fs')", "process.dlopen(m, '/a.node')",
			"Reflect.apply(process.binding, process, ['fs'])", "this.constructor; globalThis['pro' + 'cess'].binding('fs')",
			"function f(p) { return p.binding } f(process)('fs')", "with (process) binding('fs')",
		},
		"stack traces": {
			"Error['prepare' + 'StackTrace'] = (e, f) => f", "Object.defineProperty(Error, 'prepareStackTrace', { value: f })",
			"const E = Error; E.prepareStackTrace = f", "new Error().constructor.prepareStackTrace = f", "Object.assign(Error, { prepareStackTrace(e, f) {} })",
		},
		"modules of the process": {
			"process['getBuiltinModule']('fs')", "const { getBuiltinModule: g } = process; g('fs')", "process.getBuiltinModule.call(process, 'fs')",
			"import p from 'process'; p.getBuiltinModule('fs')", "import { getBuiltinModule } from 'node:process'; getBuiltinModule('fs')",
		},
		"names with escapes": {
			"\\u{65}val('1')", "ev\\u0061l('1')", "global.\\u0065val('1')", "var \\u0065 = 1", "pr\\u006fcess.exit()", "import { r\\u006d } from 'fs'",
		},
	} {
		for _, source := range sources {
			if v := j.decideScript(source); v.Decision != palisade.Deny {
				t.Errorf("%s: %s, want deny%s\n%s", technique, v.Decision, why(v), source)
			}
		}
	}
}
