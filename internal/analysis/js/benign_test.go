package js

import (
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

// benign are programs as models write them. None may have a fact that a policy
// for agents would stop.
var benign = []string{
	`console.log(1 + 2 * 3);`,
	`const xs = [3, 1, 2]; xs.sort((a, b) => a - b); console.log(xs.map(x => x * 2).filter(x => x > 2).reduce((a, b) => a + b, 0));`,
	`function gcd(a, b) { return b === 0 ? a : gcd(b, a % b); } console.log(gcd(48, 36));`,
	`const memo = {}; const fib = n => n < 2 ? n : memo[n] ?? (memo[n] = fib(n - 1) + fib(n - 2)); console.log(fib(50));`,
	`let s = 'hello world'; console.log(s.split('').reverse().join(''), s.replace(/o/g, '0'), s.toUpperCase(), [...s].sort().join(''));`,
	`const words = 'a b a c'.split(' '); const counts = {}; for (const w of words) counts[w] = (counts[w] || 0) + 1; console.log(counts);`,
	`const m = new Map(); m.set('a', 1).set('b', 2); for (const [k, v] of m) console.log(k, v); console.log([...m.keys()], new Set([1, 1, 2]).size);`,
	`class Stack { #items = []; push(x) { this.#items.push(x); return this; } pop() { return this.#items.pop(); } get size() { return this.#items.length; } static of(...xs) { const s = new Stack(); xs.forEach(x => s.push(x)); return s; } } const s = Stack.of(1, 2, 3); console.log(s.size, s.pop(), s.constructor.name);`,
	`function Animal(name) { this.name = name; } Animal.prototype.speak = function () { return this.name + ' speaks'; }; function Dog(n) { Animal.call(this, n); } Dog.prototype = Object.create(Animal.prototype); Dog.prototype.constructor = Dog; console.log(new Dog('x').speak());`,
	`class Shape { area() { return 0; } toString() { return this.constructor.name + '(' + this.area() + ')'; } } class Circle extends Shape { constructor(r) { super(); this.r = r; } area() { return Math.PI * this.r ** 2; } } console.log(String(new Circle(2)));`,
	`const ops = { add: (a, b) => a + b, mul: (a, b) => a * b }; for (const [k, f] of Object.entries(ops)) console.log(k, f(2, 3)); console.log(ops[process.argv[2]]?.(1, 2));`,
	`enum Color { Red, Green = 'g' } interface P { x: number } const p: P = { x: 1 }; namespace N { export const a = 1; } console.log(Color[Color.Red], p, N.a);`,
	`abstract class Repo<T extends { id: number }> { protected items: T[] = []; constructor(private readonly name: string) {} add(t: T): this { this.items.push(t); return this; } abstract find(id: number): T | undefined; } class Users extends Repo<{ id: number; n: string }> { find(id: number) { return this.items.find(u => u.id === id); } } console.log(new Users('u').add({ id: 1, n: 'a' }).find(1)!.n);`,
	`type Shape = { kind: 'circle'; r: number } | { kind: 'square'; s: number }; const area = (s: Shape): number => { switch (s.kind) { case 'circle': return Math.PI * s.r * s.r; case 'square': return s.s * s.s; } }; console.log(area({ kind: 'square', s: 2 } satisfies Shape));`,
	"import * as fs from 'fs'; import path from 'path';\nconst rows = fs.readFileSync(path.join(__dirname, 'data', 'in.csv'), 'utf8').trim().split('\\n').map(l => l.split(','));\nfs.writeFileSync('out.json', JSON.stringify(rows.map(([a, b]) => ({ a, b: Number(b) })), null, 2));",
	`import { readFile, writeFile, mkdir } from 'node:fs/promises'; const d = JSON.parse(await readFile('/work/data.json', 'utf8')); await mkdir('out', { recursive: true }); await writeFile('out/total.txt', String(d.items.length));`,
	`const fs = require('fs'); const lines = fs.readFileSync('input.txt', 'utf-8').split(/\r?\n/); console.log(lines.length, Math.max(...lines.map(l => l.length)));`,
	`const data = JSON.parse(require('fs').readFileSync('/work/data.json')); console.log(` + "`Total: ${data.items.filter(x => x.price > 3).reduce((a, x) => a + x.price, 0).toFixed(2)}`" + `);`,
	`const rl = require('readline').createInterface({ input: process.stdin }); let sum = 0; rl.on('line', l => { sum += l.split(' ').map(Number).reduce((a, b) => a + b, 0); }); rl.on('close', () => console.log(sum));`,
	`const input = require('fs').readFileSync(0, 'utf8').trim(); const [n, ...rest] = input.split(/\s+/).map(Number); console.log(rest.slice(0, n));`,
	`let buf = ''; process.stdin.setEncoding('utf8'); process.stdin.on('data', c => buf += c); process.stdin.on('end', () => console.log(buf.length));`,
	`const sleep = ms => new Promise(r => setTimeout(r, ms)); async function main() { for (let i = 0; i < 3; i++) { await sleep(10); console.log(i); } } main().catch(e => { console.error(e); process.exitCode = 1; });`,
	`const tasks = [1, 2, 3].map(async x => x * 2); const r = await Promise.all(tasks); console.log(r); const s = await Promise.allSettled([Promise.reject(new Error('x'))]); console.log(s[0].status);`,
	`class Node2 { constructor(v) { this.v = v; this.next = null; } } class List { constructor() { this.head = null; } add(v) { const n = new Node2(v); n.next = this.head; this.head = n; } *[Symbol.iterator]() { let c = this.head; while (c) { yield c.v; c = c.next; } } } const l = new List(); l.add(1); console.log([...l]);`,
	`function* range(a, b, s = 1) { for (let i = a; i < b; i += s) yield i; } for (const x of range(0, 5)) console.log(x); const [p, q] = range(1, 9); console.log(p, q);`,
	`async function* pages() { for (let i = 0; i < 3; i++) yield await Promise.resolve([i]); } for await (const p of pages()) console.log(p);`,
	`const EventEmitter = require('events'); class Bus extends EventEmitter { constructor() { super(); this.n = 0; } fire(x) { this.emit('x', x); } } const b = new Bus(); b.on('x', v => console.log(v)); b.fire(3);`,
	`const crypto = require('crypto'); console.log(crypto.createHash('sha256').update('abc').digest('hex'), crypto.randomUUID().length);`,
	`const zlib = require('zlib'); const z = zlib.gzipSync(Buffer.from('hello')); console.log(zlib.gunzipSync(z).toString());`,
	`const { performance } = require('perf_hooks'); const t = performance.now(); for (let i = 0; i < 1e6; i++); console.log(performance.now() - t > 0);`,
	`const assert = require('assert'); assert.strictEqual(1 + 1, 2); assert.deepStrictEqual({ a: 1 }, { a: 1 }); console.log('ok');`,
	`const util = require('util'); console.log(util.inspect({ a: { b: 1 } }, { depth: 0 }), util.format('%s=%d', 'a', 1));`,
	`const g = globalThis; console.log(typeof window === 'undefined', typeof eval, Object.keys({ a: 1 }).length); if (require.main === module) console.log('main');`,
	`const handler = { get(t, k) { return k in t ? t[k] : 42; }, set(t, k, v) { t[k] = v; return true; } }; const p = new Proxy({ a: 1 }, handler); p.b = 2; console.log(p.a, p.zzz);`,
	`function deepMerge(t, s) { for (const k of Object.keys(s)) { if (s[k] instanceof Object && k in t) deepMerge(t[k], s[k]); else t[k] = s[k]; } return t; } console.log(deepMerge({ a: { b: 1 } }, { a: { c: 2 } }));`,
	`const deepClone = o => o === null || typeof o !== 'object' ? o : Array.isArray(o) ? o.map(deepClone) : Object.fromEntries(Object.entries(o).map(([k, v]) => [k, deepClone(v)])); console.log(deepClone({ a: [1, { b: 2 }] }));`,
	`const compose = (...fs) => x => fs.reduceRight((a, f) => f(a), x); const curry = f => (...a) => a.length >= f.length ? f(...a) : curry(f.bind(null, ...a)); console.log(compose(x => x + 1, x => x * 2)(3), curry((a, b) => a + b)(1)(2));`,
	`const debounce = (fn, ms) => { let t; return (...args) => { clearTimeout(t); t = setTimeout(() => fn.apply(this, args), ms); }; }; debounce(console.log, 5)('x');`,
	`function memoize(fn) { const c = new Map(); return function (...a) { const k = JSON.stringify(a); if (!c.has(k)) c.set(k, fn.apply(this, a)); return c.get(k); }; } console.log(memoize((a, b) => a * b)(2, 3));`,
	`class ValidationError extends Error { constructor(m, field) { super(m); this.name = this.constructor.name; this.field = field; Error.captureStackTrace(this, ValidationError); } } try { throw new ValidationError('bad', 'x'); } catch (e) { if (e instanceof ValidationError) console.log(e.field); else throw e; } finally { console.log('done'); }`,
	`const matrix = (r, c, f = () => 0) => Array.from({ length: r }, (_, i) => Array.from({ length: c }, (_, j) => f(i, j))); const mul = (a, b) => a.map(row => b[0].map((_, j) => row.reduce((s, x, k) => s + x * b[k][j], 0))); console.log(mul(matrix(2, 2, (i, j) => i + j), matrix(2, 2, () => 1)));`,
	`function quickSort(a) { if (a.length < 2) return a; const [p, ...r] = a; return [...quickSort(r.filter(x => x < p)), p, ...quickSort(r.filter(x => x >= p))]; } console.log(quickSort([3, 6, 1]));`,
	`const graph = { a: ['b', 'c'], b: ['d'], c: [], d: [] }; const seen = new Set(); (function dfs(n) { if (seen.has(n)) return; seen.add(n); graph[n].forEach(dfs); })('a'); console.log([...seen]);`,
	`class PQ { constructor(cmp) { this.h = []; this.cmp = cmp; } push(x) { this.h.push(x); let i = this.h.length - 1; while (i > 0) { const p = (i - 1) >> 1; if (this.cmp(this.h[i], this.h[p]) >= 0) break; [this.h[i], this.h[p]] = [this.h[p], this.h[i]]; i = p; } } pop() { return this.h.shift(); } } const q = new PQ((a, b) => a - b); [3, 1].forEach(x => q.push(x)); console.log(q.pop());`,
	`const isPrime = n => { for (let i = 2; i * i <= n; i++) if (n % i === 0) return false; return n > 1; }; console.log(Array.from({ length: 20 }, (_, i) => i).filter(isPrime));`,
	`console.log(10n ** 20n, BigInt(5) * 3n, (123.456).toFixed(1), parseInt('ff', 16), (255).toString(2), Number('1e3'), 0.1 + 0.2);`,
	`const d = new Date(Date.UTC(2024, 0, 31)); d.setUTCDate(d.getUTCDate() + 1); console.log(d.toISOString(), new Intl.NumberFormat('en').format(12345));`,
	"const tpl = (strings, ...vals) => strings.reduce((a, s, i) => a + s + (vals[i] ?? ''), ''); const name = 'x'; console.log(tpl`hi ${name}!`, `multi\nline ${1 + 1}`, String.raw`a\\nb`);",
	`const { a, b: { c = 5, ...rest } = {}, ...others } = { a: 1, b: { d: 2 }, e: 3 }; const [x, , y = 9, ...zs] = [1, 2, undefined, 4]; console.log(a, c, rest, others, x, y, zs);`,
	`const user = { profile: { name: 'A' } }; console.log(user?.profile?.name, user?.address?.street ?? 'none', user.getName?.()); let v = null; v ??= 3; v ||= 4; v &&= 5; console.log(v);`,
	`outer: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) continue outer; if (i === 2) break outer; console.log(i, j); } } let k = 0; do { k++; } while (k < 3); switch (k) { case 3: console.log('three'); break; default: console.log('?'); }`,
	`const text = 'The year 1999 and 2024'; for (const m of text.matchAll(/(?<y>\d{4})/g)) console.log(m.groups.y, m.index); console.log(text.replace(/(\w+) (\w+)/, '$2 $1'), /^\S+@\S+$/.test('a@b.c'), /a/.exec('banana').index);`,
	`const encoded = Buffer.from('hello').toString('base64'); console.log(encoded, Buffer.from(encoded, 'base64').toString('utf8'), encodeURIComponent('a b&c'), atob('aGk='));`,
	`const caesar = (s, k) => s.replace(/[a-z]/g, c => String.fromCharCode((c.charCodeAt(0) - 97 + k) % 26 + 97)); console.log(caesar('hello', 3), caesar(caesar('abc', 5), 21));`,
	`let out = ''; for (let i = 0; i < 5; i++) { out += '*'.repeat(i) + '\n'; } console.log(out); let total = 0; [1, 2].forEach(x => { total += x; }); console.log(total);`,
	`const o = { _v: 1, get v() { return this._v; }, set v(x) { this._v = x; }, ['comp' + 'uted']: 2, 'quoted-key': 3, 42: 'n', async m() { return 1; }, *g() { yield 1; } }; o.v = 5; console.log(o.v, o['quoted-key'], o[42], Object.getOwnPropertyNames(o));`,
	`const frozen = Object.freeze({ a: 1 }); console.log(Object.isFrozen(frozen), Object.getPrototypeOf([]) === Array.prototype, Object.assign({}, frozen, { b: 2 }), structuredClone(frozen)); Object.defineProperty({}, 'x', { value: 1, enumerable: false });`,
	`const state = { count: 0 }; const reducer = (s, a) => { switch (a.type) { case 'inc': return { ...s, count: s.count + 1 }; default: return s; } }; const handlers = new Map([['log', x => console.log(x)]]); handlers.get('log')([{ type: 'inc' }].reduce(reducer, state));`,
	`String.prototype.capitalize = function () { return this.charAt(0).toUpperCase() + this.slice(1); }; Array.prototype.last = function () { return this[this.length - 1]; }; console.log('abc'.capitalize(), [1, 2].last());`,
	`const mod = (() => { let n = 0; return { inc: () => ++n, get: () => n }; })(); mod.inc(); console.log(mod.get()); module.exports = { mod, VERSION: '1.0' };`,
	`export function add(a, b) { return a + b; } export default class Calc { add = add; static create() { return new this(); } } export const PI = 3.14; console.log(Calc.create().add(1, 2));`,
	`'use strict'; const path = require('path'); console.log(path.basename('/a/b.txt', '.txt'), path.extname('x.js'), path.resolve('a', '..', 'b'), path.join('/work', 'x'));`,
	`const fs = require('fs'); for (const f of fs.readdirSync('.')) { const st = fs.statSync('/work/' + f); if (st.isFile() && f.endsWith('.log')) console.log(f, st.size); } if (fs.existsSync('cfg.json')) console.log(require('./cfg.json'));`,
	`const fs = require('fs'); const ws = fs.createWriteStream('/tmp/out.txt'); ws.write('a\n'); ws.end(() => fs.createReadStream('/tmp/out.txt').on('data', c => console.log(c.length)));`,
	`const { pipeline } = require('stream/promises'); const { Transform } = require('stream'); const fs = require('fs'); const up = new Transform({ transform(c, e, cb) { cb(null, c.toString().toUpperCase()); } }); pipeline(fs.createReadStream('in.txt'), up, fs.createWriteStream('out.txt')).catch(console.error);`,
	`const args = process.argv.slice(2); const opts = Object.fromEntries(args.map(a => a.replace(/^--/, '').split('='))); console.log(opts, process.cwd(), process.platform, process.version, process.memoryUsage().heapUsed > 0); process.on('exit', c => console.log('bye', c));`,
	`const url = new URL('https://a.example/x?y=1'); url.searchParams.set('z', '2'); console.log(url.href, url.hostname, new URLSearchParams('a=1&b=2').get('b'));`,
	`function Counter() { if (!new.target) return new Counter(); let n = 0; this.inc = () => { n++; return this; }; this.value = () => n; } console.log(Counter().inc().inc().value()); (function () { console.log(arguments.length); })(1, 2);`,
	`const wm = new WeakMap(); const key = {}; wm.set(key, 'v'); const sym = Symbol('s'); const it = { [sym]: 1, [Symbol.toPrimitive](h) { return h === 'number' ? 1 : 'one'; } }; console.log(wm.get(key), it[sym], +it, ` + "`${it}`" + `);`,
	`function log(target, key, desc) { const orig = desc.value; desc.value = function (...a) { console.log(key, a); return orig.apply(this, a); }; return desc; } class S { run(x) { return x; } } Object.defineProperty(S.prototype, 'run', log(S.prototype, 'run', Object.getOwnPropertyDescriptor(S.prototype, 'run'))); new S().run(1);`,
	`const board = Array(9).fill(null); const lines = [[0, 1, 2], [3, 4, 5]]; const winner = b => { for (const [a, c, d] of lines) if (b[a] && b[a] === b[c] && b[a] === b[d]) return b[a]; return null; }; board[0] = board[1] = board[2] = 'X'; console.log(winner(board));`,
	`const os = require('os'); console.log(os.EOL.length, os.cpus().length > 0); const { TextDecoder } = require('util'); console.log(new TextDecoder().decode(new Uint8Array([104, 105])));`,
	`const { execSync } = require('child_process'); console.log(execSync('ls -l').toString());`,
}

// harmless reports whether an agent's policy lets a fact pass: what stays in the
// box's workspace.
func harmless(f analysis.Fact) bool {
	switch f.Capability {
	case palisade.CapImport, palisade.CapProcess, palisade.CapSystemInfo, palisade.CapExit, palisade.CapEnvironment:
		return true
	case palisade.CapReadPath, palisade.CapWritePath:
		return analysis.InWorkspace(f.Argument)
	}
	return false
}

func TestBenign(t *testing.T) {
	if len(benign) < 60 {
		t.Fatal("too few programs")
	}
	for _, source := range benign {
		r, err := Read(analysis.Text{Language: palisade.TypeScript, Name: "p", Source: source})
		if err != nil {
			t.Errorf("%v in\n%s", err, source)
		}
		for _, f := range r.Facts {
			if !harmless(f) {
				t.Errorf("%s %s %q in\n%s", f.Capability, f.Symbol, f.Argument, source)
			}
		}
	}
}
