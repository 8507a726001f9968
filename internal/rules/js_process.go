package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "js-process", Title: "Runs another program", Severity: palisade.High, Capability: palisade.CapProcess, CWE: 78,
	Says:        "could run another program",
	Description: "Another program is not held by what was read here.",
	Remedy:      "Write it in JavaScript.",
	Bad: []string{
		"require('child_process').execSync('id')", "import { spawn } from 'node:child_process'; spawn('ls', ['-l'])",
		"const { promisify } = require('util'); promisify(require('child_process').exec)('id')", "arguments[1]('child_process').exec('id')",
		"Object.values({ c: require('child_process') })[0].execSync('id')", "require('execa').execa('ls')",
	},
	Good: []string{"/a/.exec('a')", "const o = { exec() {} }; o.exec('id')"},
})

var _ = add(Rule{
	ID: "js-process-computed", Title: "Runs a computed command", Severity: palisade.High, Capability: palisade.CapProcess, CWE: 78,
	Match:       func(f analysis.Fact) bool { return f.Unknown },
	Says:        "could run a command that is computed",
	Description: "A command that is put together from data can be made to run another one.",
	Remedy:      "Name the program and pass the data as its arguments.",
	Bad:         []string{"require('child_process').exec('ls ' + dir)", "require('child_process').exec(process.argv[2])", "require('child_process').spawn('git', args)"},
	Good:        []string{"require('child_process').exec('ls')", "require('child_process').spawn('git', ['status'])"},
})

var _ = add(Rule{
	ID: "js-kill", Title: "Signals a process", Severity: palisade.Medium, Capability: palisade.CapKill, CWE: 400,
	Says:        "could signal a process",
	Description: "A program that ends others ends what is not its own.",
	Remedy:      "End only what the program itself started.",
	Bad:         []string{"process.kill(1)", "const { kill: k } = process; k(-1, 'SIGKILL')"},
	Good:        []string{"const o = { kill() {} }; o.kill(1)"},
})

var _ = add(Rule{
	ID: "js-thread", Title: "Starts processes of its own", Severity: palisade.Low, Capability: palisade.CapThread, CWE: 400,
	Says:        "could start processes of its own",
	Description: "More processes use more of the box.",
	Remedy:      "Do the work in one process.",
	Bad:         []string{"require('cluster').fork()"},
	Good:        []string{"queueMicrotask(() => 1)"},
})

var _ = add(Rule{
	ID: "js-privilege", Title: "Changes its rights", Severity: palisade.High, Capability: palisade.CapPrivilege, CWE: 250,
	Says:        "could change which user it is",
	Description: "A program in a box has no other user to be.",
	Remedy:      "Leave it out.",
	Bad:         []string{"process.setuid(0)", "process['setgid'](0)"},
	Good:        []string{"process.getuid()"},
})

var _ = add(Rule{
	ID: "js-run-file", Title: "Runs code from a file", Severity: palisade.Medium, Capability: palisade.CapRunFile, CWE: 829,
	Says:        "could run code from a file that was not read",
	Description: "Code that arrives in a file is not the code that was judged.",
	Remedy:      "Put the code into the program.",
	Bad:         []string{"require('./lib')", "import x from './lib.mjs'", "new (require('worker_threads').Worker)('w.js')", "require('child_process').fork('c.js')"},
	Good:        []string{"require('./data.json')", "require('fs')"},
})

var _ = add(Rule{
	ID: "js-install", Title: "Installs a package", Severity: palisade.High, Capability: palisade.CapInstall, CWE: 829,
	Says:        "could install a package",
	Description: "A package brings code of others.",
	Remedy:      "Use what is installed.",
	Bad:         []string{"require('npm').load()", "import { extract } from 'pacote'; extract('x')"},
	Good:        []string{"const npm = 1"},
})

var _ = add(Rule{
	ID: "js-secret", Title: "Reads a credential", Severity: palisade.Critical, Capability: palisade.CapSecret, CWE: 522,
	Says:        "could read a credential",
	Description: "Credentials belong to their user.",
	Remedy:      "Ask for the data instead.",
	Bad:         []string{"require('keytar').getPassword('a', 'b')"},
	Good:        []string{"const keytar = 1"},
})
