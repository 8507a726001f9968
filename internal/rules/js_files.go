package rules

import (
	"slices"

	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "js-read", Title: "Reads a file", Severity: palisade.Low, Capability: palisade.CapReadPath, CWE: 22,
	Says:        "could read a file or folder",
	Description: "Policy says which paths a program may read.",
	Remedy:      "Read files of the workspace, by names that stand in the program.",
	Bad: []string{
		"require('fs').readFileSync('data.json')", "import { readFile } from 'node:fs/promises'; await readFile('a')",
		"require('./data.json')", "const { createReadStream: c } = require('fs'); c('/tmp/x')",
	},
	Good: []string{"const readFile = 1", "({ readFileSync() {} }).readFileSync('a')", "import('fs')"},
})

// accountFiles say who there is on a machine.
var accountFiles = []string{"/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/etc/master.passwd", "/etc/sudoers"}

var _ = add(Rule{
	ID: "js-read-accounts", Title: "Reads the machine's accounts", Severity: palisade.High, Capability: palisade.CapReadPath, CWE: 200,
	Match:       func(f analysis.Fact) bool { return slices.Contains(accountFiles, f.Argument) },
	Says:        "could read the machine's accounts",
	Description: "No computation needs to know who has an account; whoever looks for a way out does.",
	Remedy:      "Leave it out, or pass the data with the program.",
	Bad: []string{
		"import('fs').then(f => f.readFileSync('/etc/passwd'))", "require('fs').readFileSync('../etc/' + 'passwd')",
		"const fs = require('fs'); fs.promises.readFile(atob('L2V0Yy9wYXNzd2Q='))", "import * as f from 'fs'; f['read' + 'FileSync']('/etc/shadow')",
	},
	Good: []string{"require('fs').readFileSync('etc/passwd')", "require('fs').readFileSync('/etc/hosts')"},
})

var _ = add(Rule{
	ID: "js-read-outside", Title: "Reads outside the workspace", Severity: palisade.High, Capability: palisade.CapReadPath, CWE: 22,
	Match:       func(f analysis.Fact) bool { return outside(f) },
	Says:        "could read outside the workspace",
	Description: "Files outside the workspace belong to the system or to someone else.",
	Remedy:      "Pass the data with the program; it is placed in the workspace.",
	Bad: []string{
		"require('fs').readFileSync('/etc/hostname')", "const p = require('path'); require('fs').readdirSync(p.join(__dirname, '..', 'root'))",
		"import fs from 'fs'; fs.readFileSync(new URL('file:///proc/1/environ'))",
	},
	Good: []string{"require('fs').readFileSync(__dirname + '/a')", "console.log('/etc/hostname')"},
})

var _ = add(Rule{
	ID: "js-read-computed", Title: "Reads a computed path", Severity: palisade.Medium, Capability: palisade.CapReadPath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown && f.Argument == "" },
	Says:        "could read a path that is computed",
	Description: "A path that is only known when the program runs may be any path.",
	Remedy:      "Name the file in the program.",
	Bad: []string{
		"require('fs').readFileSync(process.argv[2])", "const fs = require('fs'); exports.f = p => fs.readFileSync(p)",
		"['a'].concat(JSON.parse(x)).map(require('fs').readFileSync)",
	},
	Good: []string{"const fs = require('fs'); const f = p => fs.readFileSync(p); f('a')", "for (const i of [1, 2]) require('fs').readFileSync(`part${i}`)"},
})

var _ = add(Rule{
	ID: "js-write", Title: "Writes a file", Severity: palisade.Low, Capability: palisade.CapWritePath, CWE: 73,
	Says:        "could create or change a file or folder",
	Description: "Policy says which paths a program may write.",
	Remedy:      "Write into the workspace, by names that stand in the program.",
	Bad: []string{
		"require('fs').writeFileSync('out.txt', 'x')", "import { mkdir } from 'fs/promises'; mkdir('d')", "require('fs').openSync('a', 'w')",
		"require('fs').createWriteStream('/tmp/log').write('x')",
	},
	Good: []string{"console.log('out.txt')", "require('fs').openSync('a')"},
})

var _ = add(Rule{
	ID: "js-write-outside", Title: "Writes outside the workspace", Severity: palisade.High, Capability: palisade.CapWritePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return outside(f) },
	Says:        "could write outside the workspace",
	Description: "Files outside the workspace belong to the system or to someone else.",
	Remedy:      "Write in the workspace only.",
	Bad: []string{
		"require('fs').appendFileSync('/etc/crontab', 'x')", "require('fs').promises.chmod(`/usr/${'bin'}/x`, 0o777)",
		"new Promise(r => r(require('fs'))).then(f => f.symlinkSync('a', '/etc/x'))",
	},
	Good: []string{"require('fs').writeFileSync('/work/a/../b', '')"},
})

var _ = add(Rule{
	ID: "js-write-computed", Title: "Writes a computed path", Severity: palisade.Medium, Capability: palisade.CapWritePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown && f.Argument == "" },
	Says:        "could write a path that is computed",
	Description: "A path that is only known when the program runs may be any path.",
	Remedy:      "Name the file in the program.",
	Bad:         []string{"require('fs').writeFileSync(process.env.OUT, '')", "const { writeFile } = require('fs'); export const save = n => writeFile(n, '', () => {})"},
	Good:        []string{"const fs = require('fs'); [1, 2].forEach(i => fs.writeFileSync('out' + i, ''))"},
})

var _ = add(Rule{
	ID: "js-delete", Title: "Deletes a file", Severity: palisade.Low, Capability: palisade.CapDeletePath, CWE: 73,
	Says:        "could delete a file or folder",
	Description: "What is deleted cannot be had back. Policy says which paths a program may delete.",
	Remedy:      "Delete only what the program itself made, by names that stand in it.",
	Bad: []string{
		"require('fs').unlinkSync('a')", "import { rm } from 'node:fs/promises'; await rm('d', { recursive: true })",
		"const { ...f } = require('fs'); f.rmdirSync('d')", "require('fs').renameSync('a', 'b')",
	},
	Good: []string{"new Map().delete('a')", "delete {}.a", "require('fs').writeFileSync('a', '')"},
})

var _ = add(Rule{
	ID: "js-delete-outside", Title: "Deletes outside the workspace", Severity: palisade.High, Capability: palisade.CapDeletePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return outside(f) },
	Says:        "could delete something outside the workspace",
	Description: "Files outside the workspace belong to the system or to someone else.",
	Remedy:      "Delete in the workspace only.",
	Bad:         []string{"require('fs').rmSync('/', { recursive: true })", "require('fs').rmSync(require('os').homedir() + '/x')"},
	Good:        []string{"require('fs').rmSync(require('os').tmpdir() + '/x')"},
})

var _ = add(Rule{
	ID: "js-delete-computed", Title: "Deletes a computed path", Severity: palisade.Medium, Capability: palisade.CapDeletePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown && f.Argument == "" },
	Says:        "could delete a path that is computed",
	Description: "A path that is only known when the program runs may be any path.",
	Remedy:      "Name the file in the program.",
	Bad:         []string{"require('fs').unlinkSync(process.argv[2])", "require('fs').readdirSync('.').forEach(f => require('fs').unlinkSync(f))"},
	Good:        []string{"for (const n of ['a', 'b']) require('fs').unlinkSync(n)"},
})
