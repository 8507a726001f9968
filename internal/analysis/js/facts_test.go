package js

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

// show writes a fact as "capability symbol argument", with "?" for what is not
// known.
func show(f analysis.Fact) string {
	out := string(f.Capability) + " " + f.Symbol
	if f.Argument != "" && f.Argument != f.Symbol {
		out += " " + f.Argument
	}
	if f.Unknown {
		out += " ?"
	}
	return out
}

func facts(t *testing.T, source string) []string {
	t.Helper()
	r, err := Read(analysis.Text{Language: palisade.TypeScript, Name: "p", Source: source})
	if err != nil {
		t.Errorf("%v in\n%s", err, source)
	}
	var out []string
	for _, f := range r.Facts {
		out = append(out, show(f))
	}
	return out
}

// TestFacts: ways to reach a thing, and what must be found. A fact of want that
// begins with "not " must be absent.
func TestFacts(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		// Ways to the loader.
		{"require('fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"const r = require; r('fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"const { require: r } = module; r('node:fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"module['req' + 'uire']('fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"globalThis.require('fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"require.main.require('fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"require('module').createRequire('/')('fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"require('module').prototype.require.call(module, 'fs')", "introspect module.prototype.require"},
		{"arguments[1]('fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"[...arguments][1]('fs').rmSync('/a')", "delete_path fs.rm /a"},
		{"(() => arguments[1]('fs').rmSync('/a'))()", "delete_path fs.rm /a"},
		{"process.mainModule.constructor._load('fs').rmSync('/a')", "import fs"},
		{"import f from 'fs'; f.rmSync('/a')", "delete_path fs.rm /a"},
		{"import * as f from 'fs'; f.promises.rm('/a')", "delete_path fs.rm /a"},
		{"import { rmSync as x } from 'fs'; [x].forEach(f => f('/a'))", "delete_path fs.rm /a"},
		{"import { default as f } from 'fs'; f.rmSync('/a')", "delete_path fs.rm /a"},
		{"(await import('fs')).default.rmSync('/a')", "delete_path fs.rm /a"},
		{"import('fs').then(({ rmSync }) => rmSync('/a'))", "delete_path fs.rm /a"},
		{"Promise.all([import('fs'), 1]).then(([f]) => f.rmSync('/a'))", "delete_path fs.rm /a"},
		{"const f = async () => { const x = await import('fs'); return x }; f().then(x => x.rmSync('/a'))", "delete_path fs.rm /a"},
		{"new Promise(r => r(require('fs'))).then(f => f.rmSync('/a'))", "delete_path fs.rm /a"},
		{"import f = require('fs'); f.rmSync('/a')", "delete_path fs.rm /a"},
		// Ways to pass a thing on.
		{"const o = { a: { b: [require('fs')] } }; o.a.b[0].rmSync('/a')", "delete_path fs.rm /a"},
		{"const { a: [{ rmSync: z }] } = { a: [require('fs')] }; z('/a')", "delete_path fs.rm /a"},
		{"let f; [f = 1] = [require('fs')]; f.rmSync('/a')", "delete_path fs.rm /a"},
		{"let f; ({ x: f } = { x: require('fs') }); f.rmSync('/a')", "delete_path fs.rm /a"},
		{"const { readFileSync, ...rest } = require('fs'); rest.rmSync('/a')", "delete_path fs.rm /a"},
		{"const g = { ...require('fs') }; g.rmSync('/a')", "delete_path fs.rm /a"},
		{"const g = Object.assign({}, require('fs')); g.rmSync('/a')", "delete_path fs.rm /a"},
		{"function f(x = require('fs')) { x.rmSync('/a') } f()", "delete_path fs.rm /a"},
		{"function f(a = b) { var b; a.rmSync('/a') } var b = require('fs'); f()", "delete_path fs.rm /a"},
		{"function f() { return g } const g = require('fs'); f().rmSync('/a')", "delete_path fs.rm /a"},
		{"const f = (...a) => a[1].rmSync('/a'); f(1, require('fs'))", "delete_path fs.rm /a"},
		{"function f() { arguments[0].rmSync('/a') } f(require('fs'))", "delete_path fs.rm /a"},
		{"class A { constructor(x) { this.f = x } go() { this.f.rmSync('/a') } } new A(require('fs')).go()", "delete_path fs.rm /a"},
		{"class A { static f = require('fs'); static { A.f.rmSync('/a') } }", "delete_path fs.rm /a"},
		{"class A { #f = require('fs'); go() { this.#f.rmSync('/a') } } new A().go()", "delete_path fs.rm /a"},
		{"class A { get f() { return require('fs') } } class B extends A { go() { super.f.rmSync('/a') } } new B().go()", "delete_path fs.rm /a"},
		{"class A { m() { return require('fs') } } class B extends A { m() { return super.m() } } new B().m().rmSync('/a')", "delete_path fs.rm /a"},
		{"function A() {} A.prototype.f = require('fs'); new A().f.rmSync('/a')", "delete_path fs.rm /a"},
		{"const o = Object.create(require('fs')); o.rmSync('/a')", "delete_path fs.rm /a"},
		{"const o = { __proto__: require('fs') }; o.rmSync('/a')", "delete_path fs.rm /a"},
		{"const o = {}; Object.setPrototypeOf(o, require('fs')); o.rmSync('/a')", "delete_path fs.rm /a"},
		{"const o = {}; Object.defineProperty(o, 'f', { get: () => require('fs') }); o.f.rmSync('/a')", "delete_path fs.rm /a"},
		{"const o = { set x(f) { f.rmSync('/a') } }; o.x = require('fs')", "delete_path fs.rm /a"},
		{"const p = new Proxy({}, { get: () => require('fs') }); p.any.rmSync('/a')", "delete_path fs.rm /a"},
		{"const p = new Proxy(() => 1, { apply: (t, s, [f]) => f.rmSync('/a') }); p(require('fs'))", "delete_path fs.rm /a"},
		{"const p = new Proxy(require('fs'), {}); p.rmSync('/a')", "delete_path fs.rm /a"},
		{"function* g() { yield require('fs') } for (const f of g()) f.rmSync('/a')", "delete_path fs.rm /a"},
		{"const it = { [Symbol.iterator]() { return { next: () => ({ value: require('fs') }) } } }; for (const f of it) f.rmSync('/a')", "delete_path fs.rm /a"},
		{"try { throw require('fs') } catch (f) { f.rmSync('/a') }", "delete_path fs.rm /a"},
		{"const m = new Map([['f', require('fs')]]); m.get('f').rmSync('/a')", "delete_path fs.rm /a"},
		{"const s = new Set([require('fs')]); for (const f of s) f.rmSync('/a')", "delete_path fs.rm /a"},
		{"const t = (s, f) => f.rmSync('/a'); t`${require('fs')}`", "delete_path fs.rm /a"},
		{"with (require('fs')) { rmSync('/a') }", "delete_path fs.rm /a"},
		{"f = require('fs'); globalThis.f.rmSync('/a')", "delete_path fs.rm /a"},
		{"this.f = require('fs'); exports.f.rmSync('/a')", "delete_path fs.rm /a"},
		{"const t = { then(r) { r(require('fs')) } }; (async () => (await t).rmSync('/a'))()", "delete_path fs.rm /a"},
		{"class C { static [Symbol.hasInstance](f) { f.rmSync('/a') } } require('fs') instanceof C", "delete_path fs.rm /a"},
		{"const g = (function* () { const f = yield; f.rmSync('/a') })(); g.next(); g.next(require('fs'))", "delete_path fs.rm /a"},
		{"'x'.replace({ [Symbol.replace](s, f) { f.rmSync('/a') } }, require('fs'))", "delete_path fs.rm /a"},
		{"const o = { f: require('fs'), valueOf() { this.f.rmSync('/a') } }; +o", "delete_path fs.rm /a"},
		{"const e = new (require('events'))(); e.on('x', f => f.rmSync('/a')); e.emit('x', require('fs'))", "unresolved fs"},
		{"const a = []; a.push(require('fs')); a.pop().rmSync('/a')", "delete_path fs.rm /a"},
		{"[require('fs')].map(x => x).filter(x => x).concat([])[0].rmSync('/a')", "delete_path fs.rm /a"},
		{"(0, require('fs').rmSync)('/a')", "delete_path fs.rm /a"},
		{"(x ? require('fs') : null)?.rmSync?.('/a')", "delete_path fs.rm /a"},
		{"let f = null; f ??= require('fs'); f.rmSync('/a')", "delete_path fs.rm /a"},
		// Ways to call.
		{"require('fs').rmSync`/a`", "delete_path fs.rm /a"},
		{"require([...'sf'].reverse().join``).rmSync('/a')", "delete_path fs.rm /a"},
		{"require(String.fromCharCode.apply(null, [102, 115])).rmSync('/a')", "delete_path fs.rm /a"},
		{"Array.prototype.slice.call([require('fs')])[0].rmSync('/a')", "delete_path fs.rm /a"},
		{"new (class extends Function {})('return process')().exit()", "evaluate Function return process"},
		{"(function () { return arguments.callee.caller })().arguments[1]('fs')", "introspect (caller)"},
		{"require('fs').rmSync.call(null, '/a')", "delete_path fs.rm /a"},
		{"require('fs').rmSync.apply(null, ['/a'])", "delete_path fs.rm /a"},
		{"require('fs').rmSync.bind(null, '/a')()", "delete_path fs.rm /a"},
		{"Function.prototype.call.call(require('fs').rmSync, null, '/a')", "delete_path fs.rm /a"},
		{"Reflect.apply(require('fs').rmSync, null, ['/a'])", "delete_path fs.rm /a"},
		{"['/a'].forEach(require('fs').rmSync)", "delete_path fs.rm /a"},
		{"setTimeout(require('fs').rmSync, 1, '/a')", "delete_path fs.rm /a"},
		{"Promise.resolve('/a').then(require('fs').rmSync)", "delete_path fs.rm /a"},
		{"unknown(require('fs').rmSync)", "delete_path fs.rm ?"},
		{"require('util').promisify(require('child_process').exec)('id')", "process child_process.exec id"},
		// Names and texts that are put together.
		{"const k = 'rm' + 'Sync'; require('fs')[k]('/a')", "delete_path fs.rm /a"},
		{"require('fs')[`rm${'Sync'}`]('/a')", "delete_path fs.rm /a"},
		{"require(Buffer.from('ZnM=', 'base64').toString()).rmSync('/a')", "delete_path fs.rm /a"},
		{"require(Buffer.from('6673', 'hex') + '').rmSync('/a')", "delete_path fs.rm /a"},
		{"require(Buffer.from([102, 115]).toString()).rmSync('/a')", "delete_path fs.rm /a"},
		{"require(String.fromCharCode(102, 115)).rmSync('/a')", "delete_path fs.rm /a"},
		{"require([102, 115].map(c => String.fromCharCode(c)).join('')).rmSync('/a')", "delete_path fs.rm /a"},
		{"require([103, 114].map(c => String.fromCharCode(c ^ 1)).join('')).rmSync('/a')", "obfuscation fs"},
		{"require('s,f'.split(',').reverse().join('')).rmSync('/a')", "delete_path fs.rm /a"},
		{"require('f_s'.replace('_', '')).rmSync('/a')", "delete_path fs.rm /a"},
		{"require('xfsx'.slice(1, -1)).rmSync('/a')", "delete_path fs.rm /a"},
		{"require('FS'.toLowerCase()).rmSync('/a')", "delete_path fs.rm /a"},
		{"require(unescape('%66%73')).rmSync('/a')", "delete_path fs.rm /a"},
		{"require(decodeURIComponent('%66s')).rmSync('/a')", "delete_path fs.rm /a"},
		{"require((15).toString(36) + (28).toString(36)).rmSync('/a')", "delete_path fs.rm /a"},
		{"require(JSON.parse('[\"\\\\u0066s\"]')[0]).rmSync('/a')", "delete_path fs.rm /a"},
		{"const d = s => atob(s); require(d('ZnM=')).rmSync(d('L2E='))", "delete_path fs.rm /a"},
		{"const t = ['ZnM=', 'cm1TeW5j']; const g = i => atob(t[i - 16]); require(g(16))[g(17)]('/a')", "delete_path fs.rm /a"},
		{"let s = 'f'; s += 's'; require(s).rmSync('/a')", "delete_path fs.rm /a"},
		{"require(['f', 's'].reduce((a, b) => a + b)).rmSync('/a')", "delete_path fs.rm /a"},
		{"require(Object.keys({ fs: 1 })[0]).rmSync('/a')", "delete_path fs.rm /a"},
		{"require({ toString: () => 'fs' } + '').rmSync('/a')", "delete_path fs.rm /a"},
		// Paths.
		{"const fs = require('fs'), path = require('path'); fs.rmSync(path.join('/', 'etc', '..', 'a'))", "delete_path fs.rm /a"},
		{"require('fs').rmSync(require('path').resolve('/a', '../b'))", "delete_path fs.rm /b"},
		{"require('fs').rmSync(__dirname + '/../a')", "delete_path fs.rm /a"},
		{"import { rmSync } from 'fs'; rmSync(new URL('../a', import.meta.url))", "delete_path fs.rm /a"},
		{"require('fs').rmSync(require('url').fileURLToPath('file:///a%20b'))", "delete_path fs.rm /a b"},
		{"require('fs').rmSync(require('os').homedir() + '/.ssh')", "delete_path fs.rm ~/.ssh"},
		{"require('fs').rmSync('/a/' + x)", "delete_path fs.rm /a ?"},
		{"require('fs').openSync('/a', 'w')", "write_path fs.open /a; not read_path fs.open /a"},
		{"require('fs').openSync('/a')", "read_path fs.open /a; not write_path fs.open /a"},
		{"require('fs').renameSync('/a', '/b')", "delete_path fs.rename /a; write_path fs.rename /b"},
		{"require('fs').readFileSync(0)", "not read_path fs.readFile ?"},
		{"process.chdir('/etc')", "read_path process.chdir /etc"},
		// Programs, peers, code.
		{"require('child_process').spawn('rm', ['-rf', '/'])", "process child_process.spawn rm -rf /"},
		{"require('net').connect({ host: 'a.example', port: 1 })", "network net.connect a.example:1"},
		{"new (require('child_process').ChildProcess)().spawn({ file: 'id' })", "process child_process.ChildProcess.spawn"},
		{"require('cluster').fork()", "process cluster.fork"},
		{"new (require('http').Agent)().createConnection({ host: 'a.example', port: 1 })", "network http.Agent.createConnection a.example:1"},
		{"new (require('_http_client').ClientRequest)('http://a.example')", "network http.ClientRequest http://a.example"},
		{"import d from './d.json' with { type: 'json' }; console.log(d)", "read_path require /work/d.json"},
		{"require('net').connect(1)", "network net.connect localhost:1"},
		{"new (require('net').Socket)().connect(80, 'a.example')", "network net.Socket.connect a.example:80"},
		{"fetch(`http://${'169.254.169.254'}/`)", "network fetch http://169.254.169.254/"},
		{"import ax from 'axios'; ax.create().get('http://a.example')", "network axios.get http://a.example"},
		{"eval('1')", "evaluate eval 1"}, {"eval?.('1')", "evaluate eval 1"}, {"const e = [eval]; e[0]('1')", "evaluate eval 1"},
		{"window.eval('1')", "evaluate eval 1"}, {"Function('return 1')()", "evaluate Function return 1"},
		{"Function('return this')().process.exit()", "exit process.exit"},
		{"(function () { return this })().process.exit()", "exit process.exit"},
		{"[1].map(function () { this.process.exit() })", "not exit process.exit x"},
		{"Object.getOwnPropertyDescriptor(process, 'exit').value(1)", "exit process.exit"},
		{"Reflect.get(process, 'exit')(1)", "exit process.exit"},
		{"Object.entries(process)", "unresolved process[…] ?"},
		{"process.env.A; process.env['B']; const { C } = process.env", "environment process.env A; environment process.env B; environment process.env C"},
		{"new Worker(new URL('./w.js', import.meta.url))", "run_file Worker /work/w.js"},
		{"process.report.writeReport('/a')", "write_path process.report.writeReport /a"},
		// Names of the program's own are not the runtime's.
		{"const process = { exit() {} }; process.exit()", "not exit process.exit"},
		{"function eval2() {} const o = { eval: eval2 }; o.eval('1')", "not evaluate eval 1"},
		{"function f(require) { require('fs') } f(x => x)", "not import fs"},
	} {
		got := facts(t, c.source)
		for want := range strings.SplitSeq(c.want, "; ") {
			absent, no := strings.CutPrefix(want, "not ")
			if found := slices.Contains(got, strings.TrimPrefix(want, "not ")); found == no {
				t.Errorf("%s\n  want %s%s\n  have %s", c.source, map[bool]string{true: "no "}[no], absent, strings.Join(got, "\n       "))
			}
		}
	}
}

// TestEmbedded: programs inside a program are handed on.
func TestEmbedded(t *testing.T) {
	for source, want := range map[string]string{
		"eval('f()')":                                                                             "javascript f()",
		"new Function('a', 'b', 'return a')":                                                      "javascript (function anonymous(a,b\n) {\nreturn a\n})",
		"import('data:text/javascript,f()')":                                                      "javascript f()",
		"require('child_process').exec('ls')":                                                     "shell ls",
		"require('child_process').exec('cat ' + f)":                                               "shell cat \"$1\"",
		"require('child_process').spawn('rm', ['-r', 'a b'])":                                     "shell 'rm' '-r' 'a b'",
		"require('child_process').spawnSync('ls | wc', { shell: true })":                          "shell ls | wc",
		"const c = new (require('pg').Pool)(); c.query('SELECT 1')":                               "sql SELECT 1",
		"const db = require('better-sqlite3')('a.db'); db.prepare('DELETE FROM t').run()":         "sql DELETE FROM t",
		"import m from 'mysql2/promise'; (await m.createConnection({})).execute('DROP TABLE t')":  "sql DROP TABLE t",
		"async function f(db) { await db.query('DELETE FROM t WHERE a = 1') }":                    "sql DELETE FROM t WHERE a = 1",
		"const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(':memory:').exec('X')": "sql X",
	} {
		r, err := Read(analysis.Text{Language: palisade.JavaScript, Name: "p", Source: source})
		if err != nil {
			t.Errorf("%s: %v", source, err)
		}
		var got []string
		for _, e := range r.Embedded {
			got = append(got, fmt.Sprintf("%s %s", e.Language, e.Source))
			if e.Line != 1 || e.Column < 1 || e.Via == "" {
				t.Errorf("%s: stands at %d:%d, via %q", source, e.Line, e.Column, e.Via)
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s\n  want %q\n  have %q", source, want, got)
		}
	}
}
