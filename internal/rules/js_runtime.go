package rules

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "js-introspect", Title: "Reaches the runtime's own objects", Severity: palisade.High, Capability: palisade.CapIntrospect, CWE: 470,
	Says:        "could reach objects of the runtime that programs have no business with",
	Description: "Through callers, the inspector and the module loader's inside a program reaches what it was not given.",
	Remedy:      "Use values by their public names.",
	Bad: []string{
		"function f() { return f.caller }", "new (require('inspector').Session)()", "process._getActiveHandles()",
	},
	Good: []string{"process.version", "require('util').inspect({})", "Error.captureStackTrace(e)"},
})

var _ = add(Rule{
	ID: "js-constructor-walk", Title: "Walks to Function", Severity: palisade.Critical, Capability: palisade.CapIntrospect, CWE: 470,
	Match:       func(f analysis.Fact) bool { return strings.HasPrefix(f.Symbol, "constructor.constructor") },
	Says:        "could reach Function through a value's constructor",
	Description: "The constructor of any function is Function, which runs text. This is how programs leave a sandbox in the language.",
	Remedy:      "Name the class itself; obj.constructor.name says what a value is.",
	Bad: []string{
		"({})[`constructor`][`constructor`](\"return 1\")()", "''.sub.constructor('return 1')()", "(async () => {}).constructor('x')",
		"const { constructor: c } = () => 1; c('return this')()", "[].constructor.constructor.call(null, 'x')",
		"const k = 'constructor'; x => x[k][k]", "class A {} new A().constructor.constructor('x')()",
		"Object.getPrototypeOf(function* () {}).constructor('x')", "console.log.constructor('x')()", "Reflect.get(Math.max, 'constructor')('x')()",
	},
	Good: []string{
		"class A {} new A().constructor.name", "const o = new (class B {})(); new o.constructor()", "f.constructor.name === 'AsyncFunction'",
		"x.constructor === Object", "class C { clone() { return new this.constructor(this.x) } }",
	},
})

var _ = add(Rule{
	ID: "js-main-module", Title: "Takes require from the main module", Severity: palisade.Critical, Capability: palisade.CapIntrospect, CWE: 470,
	Match:       func(f analysis.Fact) bool { return strings.HasPrefix(f.Symbol, "process.mainModule") },
	Says:        "could load a module through process.mainModule",
	Description: "A program that has require does not go there; one that was denied it does.",
	Remedy:      "Import what is needed.",
	Bad: []string{
		"process.mainModule.require('child_process')", "const { mainModule: m } = process; m.require('fs')",
		"globalThis.process['mainModule']['require']('fs')", "Reflect.get(process.mainModule, 'require')",
	},
	Good: []string{"if (require.main === module) f()", "process.mainModule === module"},
})

var _ = add(Rule{
	ID: "js-builtin-module", Title: "Takes a module from the process", Severity: palisade.Critical, Capability: palisade.CapIntrospect, CWE: 470,
	Match:       func(f analysis.Fact) bool { return f.Symbol == "process.getBuiltinModule" },
	Says:        "could load a module through process.getBuiltinModule",
	Description: "It loads any module of Node.js without import or require.",
	Remedy:      "Import what is needed.",
	Bad: []string{
		"process.getBuiltinModule('child_process')", "const { getBuiltinModule: g } = process; g('fs')", "process?.['getBuiltin' + 'Module']('fs')",
		"const f = process.getBuiltinModule.bind(process); f('fs')",
	},
	Good: []string{"require('module').builtinModules", "const o = { getBuiltinModule() {} }; o.getBuiltinModule('x')"},
})

var _ = add(Rule{
	ID: "js-stack-trace", Title: "Takes over stack traces", Severity: palisade.Critical, Capability: palisade.CapIntrospect, CWE: 470,
	Match:       func(f analysis.Fact) bool { return f.Symbol == "Error.prepareStackTrace" },
	Says:        "could reach the runtime's functions through stack traces",
	Description: "Error.prepareStackTrace is given the frames of a stack, and with them functions and values of the runtime.",
	Remedy:      "Use error.stack, a text.",
	Bad: []string{
		"Error.prepareStackTrace = (e, f) => f[0].getThis()", "Object.defineProperty(Error, 'prepareStackTrace', { value: f })",
		"Reflect.set(Error, 'prepareStackTrace', f)", "const E = Error; E['prepare' + 'StackTrace'] = f", "Object.assign(Error, { prepareStackTrace: f })",
	},
	Good: []string{"Error.captureStackTrace(e)", "Error.stackTraceLimit = 5", "new Error('x').stack"},
})

var _ = add(Rule{
	ID: "js-loader", Title: "Reaches into the module loader", Severity: palisade.High, Capability: palisade.CapIntrospect, CWE: 470,
	Match:       func(f analysis.Fact) bool { return strings.HasPrefix(f.Symbol, "module.") },
	Says:        "could change or use the inside of the module loader",
	Description: "What is put there decides which code every import gives.",
	Remedy:      "Import what is needed.",
	Bad:         []string{"require('module')._load('fs')", "module.constructor._load('fs')", "module._compile('x', 'y')"},
	Good:        []string{"module.exports = 1", "require.resolve('fs')", "module.id", "delete require.cache[k]"},
})

var _ = add(Rule{
	ID: "js-require-cache", Title: "Changes what require gives", Severity: palisade.Medium, Capability: palisade.CapIntrospect, CWE: 470,
	Match:       func(f analysis.Fact) bool { return strings.HasPrefix(f.Symbol, "require.") },
	Says:        "could change what require gives",
	Description: "What is put into the cache of modules is given in place of the module that was named.",
	Remedy:      "Import what is needed.",
	Bad:         []string{"require.cache[k] = x", "require.extensions['.x'] = f"},
	Good:        []string{"require.resolve('fs')"},
})

var _ = add(Rule{
	ID: "js-prototype-pollution", Title: "Changes what every object inherits", Severity: palisade.High, Capability: palisade.CapIntrospect, CWE: 1321,
	Match: func(f analysis.Fact) bool {
		return f.Kind == analysis.KindShadow && (strings.HasPrefix(f.Symbol, "Object.prototype.") || strings.HasPrefix(f.Symbol, "Function.prototype."))
	},
	Says:        "could change what every object or function inherits",
	Description: "What stands in Object.prototype changes all code, also that of others.",
	Remedy:      "Change objects of the program's own.",
	Bad: []string{
		"({}).__proto__.polluted = 1", "Object.prototype.x = 1", "[].__proto__.__proto__.x = 1", "Object.getPrototypeOf({}).x = 1",
		"({}).constructor.prototype.x = 1", "Object.defineProperty(Object.prototype, 'x', {})", "Function.prototype.call = f",
	},
	Good: []string{"function A() {} A.prototype.x = 1", "const o = Object.create(null); o.x = 1", "String.prototype.shout = function () {}"},
})

var _ = add(Rule{
	ID: "js-replaces", Title: "Replaces a function of the language or runtime", Severity: palisade.High, Capability: palisade.CapIntrospect, CWE: 349,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindShadow },
	Says:        "could replace a function that other code relies on",
	Description: "Code that calls the function afterwards runs the program's instead.",
	Remedy:      "Give the function a name of its own.",
	Bad:         []string{"Array.prototype.map = f", "require('fs').readFile = f", "globalThis.fetch = f", "process.exit = () => {}"},
	Good:        []string{"const fetch = () => 1", "console.log = () => {}", "globalThis.answer = 42"},
})

var _ = add(Rule{
	ID: "js-environment", Title: "Uses environment variables", Severity: palisade.Low, Capability: palisade.CapEnvironment, CWE: 526,
	Says:        "could read or change environment variables",
	Description: "Environment variables often hold credentials.",
	Remedy:      "Pass what is needed with the program.",
	Bad:         []string{"process.env.HOME", "const { env } = process; console.log(env)", "process.env['A' + 'B'] = '1'"},
	Good:        []string{"process.argv", "const process = { env: 1 }; process.env"},
})

var _ = add(Rule{
	ID: "js-system-info", Title: "Learns about the machine", Severity: palisade.Low, Capability: palisade.CapSystemInfo, CWE: 497,
	Says:        "could learn about the machine",
	Description: "Users, addresses and hardware tell where a program runs.",
	Remedy:      "Leave it out.",
	Bad:         []string{"require('os').userInfo()", "import { networkInterfaces as n } from 'os'; n()"},
	Good:        []string{"require('os').EOL", "process.platform"},
})

var _ = add(Rule{
	ID: "js-exit", Title: "Ends the interpreter", Severity: palisade.Info, Capability: palisade.CapExit, CWE: 382,
	Says:        "could end the interpreter at once",
	Description: "What was not written yet is lost.",
	Remedy:      "Return, or set process.exitCode.",
	Bad:         []string{"process.exit(1)", "const { abort } = process; abort()"},
	Good:        []string{"process.exitCode = 1"},
})
