package sandboxtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strconv"
	"strings"
	"testing"
	"time"

	"palisade"
)

// text is a program that runs as text, and what must come of it.
type text struct {
	name, src, stdin string
	status           palisade.Status // empty: ok
	exit             int
	signal           string
	out              string // the whole of standard output
	errs             string // is found on standard error
	artifacts        string // names, sorted
	files            []palisade.File
}

// texts runs programs of one language.
func (s *suite) texts(t *testing.T, l palisade.Language, name string, all []text) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			r := s.do(t, call{sub: palisade.Submission{
				Program: palisade.Program{Language: l, Name: name, Source: []byte(c.src)}, Stdin: []byte(c.stdin), Files: c.files,
			}})
			if c.status == "" {
				c.status = palisade.OK
			}
			want(t, r, c.status)
			if r.ExitCode != c.exit || r.Signal != c.signal || stdout(r) != c.out || !strings.Contains(stderr(r), c.errs) || c.errs == "" && stderr(r) != "" {
				t.Errorf("exit %d, signal %q, stdout %q, stderr %q; want exit %d, signal %q, stdout %q, stderr with %q",
					r.ExitCode, r.Signal, stdout(r), stderr(r), c.exit, c.signal, c.out, c.errs)
			}
			var names []string
			for _, a := range r.Artifacts {
				names = append(names, a.Name)
			}
			if got := strings.Join(names, " "); got != c.artifacts {
				t.Errorf("artifacts %q, want %q", got, c.artifacts)
			}
			if len(r.Ready.Trees) != 1 || r.Ready.Trees[""] != sha256.Sum256([]byte(c.src)) || r.Ready.Layers["text"] != "sealed" {
				t.Errorf("ready %+v", r.Ready)
			}
			if len(r.Anomalies)+len(r.LimitsHit) > 0 {
				t.Errorf("anomalies %q, limits %q", r.Anomalies, r.LimitsHit)
			}
		})
	}
}

// textRules are what holds for every language that runs as text. waits is a
// program that prints "on" and waits for ever.
func (s *suite) textRules(t *testing.T, l palisade.Language, says, waits string) {
	t.Run("another text", func(t *testing.T) {
		r := s.do(t, call{
			sub:   palisade.Submission{Program: palisade.Program{Language: l, Source: []byte(says)}},
			spoil: func(trees map[string]palisade.Digest) { trees[""] = palisade.Digest{1} },
		})
		want(t, r, palisade.Refused)
		if r.MayHaveRun || stdout(r) != "" {
			t.Errorf("it ran: %+v", r)
		}
	})
	t.Run("denied", func(t *testing.T) {
		s.need(t, "deny")
		for _, group := range []string{"exec", "fork", "memfd"} {
			r := s.do(t, call{deny: []string{group}, sub: palisade.Submission{Program: palisade.Program{Language: l, Source: []byte(says)}}})
			want(t, r, palisade.Refused)
			if r.MayHaveRun || !strings.Contains(r.Reason, "denies the system calls of "+group) {
				t.Errorf("without %s: %q", group, r.Reason)
			}
		}
		// What the profile of agents denies.
		deny := []string{"mount", "ptrace", "namespace", "module", "bpf", "keyring", "io_uring", "device", "clock", "host"}
		for _, more := range [][]string{nil, {"socket", "ipc", "identity", "kill"}} {
			r := s.do(t, call{deny: append(deny, more...), sub: palisade.Submission{Program: palisade.Program{Language: l, Source: []byte(says)}}})
			want(t, r, palisade.OK)
			if stdout(r) != "hello\n" || stderr(r) != "" {
				t.Errorf("stdout %q, stderr %q", stdout(r), stderr(r))
			}
		}
	})
	t.Run("live", func(t *testing.T) {
		var seen bytes.Buffer
		r := s.do(t, call{sub: palisade.Submission{
			Program: palisade.Program{Language: l, Source: []byte(says)}, Live: palisade.Live{Stdout: &seen},
		}})
		want(t, r, palisade.OK)
		if seen.String() != "hello\n" {
			t.Errorf("the live writer saw %q", seen.String())
		}
	})
	t.Run("caller", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		started := time.Now()
		time.AfterFunc(2*time.Second, cancel)
		_, r, _ := s.try(t, call{ctx: ctx, sub: palisade.Submission{Program: palisade.Program{Language: l, Source: []byte(waits)}}})
		want(t, r, palisade.Interrupted)
		if took := time.Since(started); took > 8*time.Second {
			t.Errorf("ended %v after the start", took)
		}
	})
	t.Run("large", func(t *testing.T) {
		comment := "#"
		if l != palisade.Shell {
			comment = "//"
		}
		src := strings.Repeat(comment+" "+strings.Repeat("x", 97)+"\n", 2500) + says
		r := s.do(t, call{sub: palisade.Submission{Program: palisade.Program{Language: l, Source: []byte(src)}}})
		want(t, r, palisade.OK)
		if stdout(r) != "hello\n" {
			t.Errorf("stdout %q, stderr %q", stdout(r), stderr(r))
		}
	})
}

// shell is what a shell program may rely on.
func (s *suite) shell(t *testing.T) {
	s.needLanguage(t, palisade.Shell)
	in := []palisade.File{{Name: "a.txt", Data: []byte("hello\n")}, {Name: "deep/er/b.txt", Data: []byte("b\n")}, {Name: "same.txt", Data: []byte("s")}}
	big := strings.Repeat("0123456789abcde\n", 20_000)
	s.texts(t, palisade.Shell, "dir/task.sh", []text{
		{name: "hello", src: "echo hello", out: "hello\n"},
		{name: "bash", src: "a=(1 2 3); [[ ${#a[@]} == 3 ]] && echo ${a[-1]} {x,y}\n", out: "3 x y\n"},
		{name: "empty", src: ""},
		{name: "standard error", src: "echo out; echo err >&2", out: "out\n", errs: "err\n"},
		{name: "stdin", src: "read -r a; cat; echo $a", stdin: "one\ntwo\n", out: "two\none\n"},
		{name: "large stdin", src: "wc -c", stdin: big, out: "320000\n"},
		{name: "no stdin", src: "cat; read x || echo end", out: "end\n"},
		{name: "exit code", src: "exit 3", status: palisade.RuntimeError, exit: 3},
		{name: "last command", src: "true\nfalse", status: palisade.RuntimeError, exit: 1},
		{name: "set -e", src: "set -euo pipefail\nfalse | true\necho no", status: palisade.RuntimeError, exit: 1},
		{name: "unknown command", src: "\nnosuch\n", status: palisade.RuntimeError, exit: 127, errs: "line 2: nosuch: command not found\n"},
		{name: "signal", src: "kill -TERM $$; sleep 5", status: palisade.Killed, exit: -1, signal: "SIGTERM"},
		{name: "killed", src: "kill -9 $$; sleep 5", status: palisade.Killed, exit: -1, signal: "SIGKILL"},
		{name: "signal in a child", src: "bash -c 'kill -9 $$'; echo $?", out: "137\n", errs: "Killed"},
		{name: "trap", src: "trap 'echo bye' EXIT; echo hi", out: "hi\nbye\n"},
		{name: "trapped signal", src: "trap 'echo caught; exit 4' USR1; kill -USR1 $$; sleep 5", status: palisade.RuntimeError, exit: 4, out: "caught\n"},
		{name: "pipes end", src: "yes | head -n 2; echo ${PIPESTATUS[@]}", out: "y\ny\n141 0\n"},
		{name: "own group", src: "trap 'echo caught' TERM; kill -TERM 0; echo after", out: "caught\nafter\n"},
		{name: "here-document", src: "cat <<E\n$((6 * 7))\nE\ncat <<<$'x\\ty'", out: "42\nx\ty\n"},
		{name: "process substitution", src: "diff <(echo a) <(echo a) && cat < <(echo b)", out: "b\n"},
		{name: "functions and loops", src: "f() { local n=$1; ((n > 0)) && f $((n - 1)); return 0; }\nf 50\nfor i in {1..3}; do printf %s $i; done; echo", out: "123\n"},
		{name: "background", src: "(sleep 0.2; echo late) & wait; echo done", out: "late\ndone\n"},
		{name: "tools", src: "printf 'b 2\\na 1\\n' | sort | awk '{print $2}' | sed 's/1/one/' | xargs echo | tr a-z A-Z; echo 2+3 | grep -c +; find . -name '*.txt' | sort; date -u -d @0 +%Y; seq 3 | paste -sd+",
			files: in, out: "ONE 2\n1\n./a.txt\n./deep/er/b.txt\n./same.txt\n1970\n1+2+3\n"},
		{name: "python", src: "python3 -c 'import json; print(json.dumps([1]))'\npython3 - <<E\nimport sys\nprint(sys.path[-1] != '')\nE", out: "[1]\nTrue\n"},
		{name: "files", src: "echo world >>a.txt; mkdir -p out/x; echo 1,2 >out/x/c.csv; rm deep/er/b.txt; touch -r same.txt t; ln -s a.txt link; echo x >/tmp/not-mine",
			files: in, artifacts: "a.txt out/x/c.csv t"},
		{name: "files of a failure", src: "echo partial >result; exit 9", status: palisade.RuntimeError, exit: 9, artifacts: "result"},
		{name: "files of a background process", src: "(while :; do date >>log; done) & sleep 0.2; exit", artifacts: "log"},
		{name: "executable scripts", src: "printf '#!/bin/sh\\necho from $0\\n' >x; chmod +x x; ./x; rm x", out: "from ./x\n"},
	})
	if !s.lacks("isolation") {
		s.texts(t, palisade.Shell, "task.sh", []text{
			{name: "environment", src: "export -p | sed 's/=.*//'; echo \"$HOME $PWD $PATH\"; echo $#", out: "declare -x HOME\ndeclare -x LANG\ndeclare -x OLDPWD\ndeclare -x PATH\ndeclare -x PWD\ndeclare -x SHLVL\ndeclare -x TMPDIR\n/work /work /usr/bin:/bin\n0\n"},
			{name: "descriptors", src: "ls -l /proc/self/fd | grep -c -- '->'; ulimit -c; case $- in *[im]*) echo interactive;; esac", out: "4\n0\n"},
		})
	}
	s.textRules(t, palisade.Shell, "echo hello\n", "echo on; while :; do sleep 1; done")
}

// javascript is what a program for node may rely on.
func (s *suite) javascript(t *testing.T) {
	s.needLanguage(t, palisade.JavaScript)
	in := []palisade.File{{Name: "a.txt", Data: []byte("hello\n")}, {Name: "d.json", Data: []byte(`{"a": [1]}`)}}
	s.texts(t, palisade.JavaScript, "dir/task.js", []text{
		{name: "hello", src: "console.log('hello')", out: "hello\n"},
		{name: "empty", src: ""},
		{name: "standard error", src: "console.error('err é'); process.stdout.write('no newline')", out: "no newline", errs: "err é\n"},
		{name: "stdin", src: "process.stdin.on('data', (d) => console.log(String(d).length)).on('end', () => console.log('end'))", stdin: "abc\n", out: "4\nend\n"},
		{name: "stdin at once", src: "console.log(require('fs').readFileSync(0, 'utf8').length)", stdin: strings.Repeat("x", 300_000), out: "300000\n"},
		{name: "stdin by line", src: "const r = require('readline').createInterface({ input: process.stdin }); r.on('line', (l) => console.log('>' + l))", stdin: "a\nb\n", out: ">a\n>b\n"},
		{name: "no stdin", src: "console.log(require('fs').readFileSync(0).length)", out: "0\n"},
		{name: "exit code", src: "process.exit(3)", status: palisade.RuntimeError, exit: 3},
		{name: "later exit code", src: "process.exitCode = 4; console.log('on')", status: palisade.RuntimeError, exit: 4, out: "on\n"},
		{name: "signal", src: "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 5000)", status: palisade.Killed, exit: -1, signal: "SIGTERM"},
		{name: "abort", src: "process.abort()", status: palisade.Killed, exit: -1, signal: "SIGABRT", errs: " 1: 0x"},
		{name: "exception", src: "\n\nfunction f() { throw new TypeError('why') }\nf()", status: palisade.RuntimeError, exit: 1, errs: "task.js:3:22)\n"},
		{name: "rejection", src: "async function f() { throw new RangeError('why') }\nf()", status: palisade.RuntimeError, exit: 1, errs: "RangeError: why\n    at f ("},
		{name: "syntax", src: "let a = 1;\nlet b = ;", status: palisade.RuntimeError, exit: 1, errs: "task.js:2\nlet b = ;"},
		{name: "main", src: "console.log(require.main === module, this === module.exports, __filename.endsWith('/task.js'), process.argv.length, process.argv[1] === __filename, arguments.length)",
			out: "true true true 2 true 5\n"},
		{name: "sloppy", src: "x = 5; console.log(x, (function () { return this === globalThis })())", out: "5 true\n"},
		{name: "strict", src: "'use strict';\nconsole.log((function () { return this })())", out: "undefined\n"},
		{name: "require", src: "const { join } = require('node:path'); const d = require('./d.json'); console.log(join('a', 'b'), d.a, require('fs').readFileSync('a.txt', 'utf8'), require('fs').existsSync(require('path').join(__dirname, 'a.txt')))",
			files: in, out: "a/b [ 1 ] hello\n true\n"},
		{name: "import", src: "import fs, { readFileSync } from 'fs';\nimport * as path from 'node:path';\nconsole.log(readFileSync === fs.readFileSync, path.join('a', 'b'), import.meta.url.startsWith('file:///') && import.meta.url.endsWith('/task.js'), this)",
			files: in, out: "true a/b true undefined\n"},
		{name: "import attributes", src: "import d from './d.json' with { type: 'json' };\nconst again = await import('./d.json', { with: { type: 'json' } });\nconsole.log(d.a, again.default.a); console.error('.')",
			files: in, out: "[ 1 ] [ 1 ]\n", errs: ".\n"}, // some versions warn
		{name: "dynamic import", src: "import('fs').then((m) => console.log(typeof m.readFileSync))\nimport('node:os').then((m) => console.log(typeof m.cpus))", out: "function\nfunction\n"},
		{name: "top-level await", src: "const x = await Promise.resolve(42);\nconsole.log(x);\nexport default x;", out: "42\n"},
		{name: "only marked as a module", src: "console.log(this, typeof import.meta, typeof require, typeof module, (function () { return this })());\nexport {};\n", out: "undefined object function object undefined\n"},
		{name: "await and require", src: "const fs = require('fs');\nconst t = await fs.promises.readFile('a.txt', 'utf8');\nconsole.log(t.trim())", files: in, out: "hello\n"},
		{name: "exception in a module", src: "import fs from 'fs';\n\nconst f = () => { throw new RangeError('why') };\nf();", status: palisade.RuntimeError, exit: 1, errs: "task.js:3:25)\n"},
		{name: "never settled", src: "console.log('on');\nawait new Promise(() => {})", status: palisade.RuntimeError, exit: 13, out: "on\n"},
		{name: "timers", src: "setImmediate(() => { console.log('a'); setTimeout(() => console.log('b'), 5) }); process.on('exit', () => console.log('c'))", out: "a\nb\nc\n"},
		{name: "text", src: "console.log([...'é😀'].length, 'ß'.toUpperCase(), new Intl.NumberFormat('de').format(1234.5), new Date(0).toISOString(), 2n ** 70n)", out: "2 SS 1.234,5 1970-01-01T00:00:00.000Z 1180591620717411303424n\n"},
		{name: "modules of node", src: "const c = require('crypto'), z = require('zlib'), u = require('util'), a = require('assert');\na.deepStrictEqual({ a: 1 }, { a: 1 });\nconsole.log(c.createHash('sha256').update('').digest('hex').slice(0, 8), z.gunzipSync(z.gzipSync('zip')).toString(), u.inspect(new Map([[1, 2]])))",
			out: "e3b0c442 zip Map(1) { 1 => 2 }\n"},
		{name: "worker", src: "const { Worker } = require('worker_threads');\nnew Worker('require(\"worker_threads\").parentPort.postMessage(6 * 7)', { eval: true }).on('message', (m) => console.log(m))", out: "42\n"},
		{name: "wasm", src: "new WebAssembly.Memory({ initial: 2, maximum: 10 }); console.log(WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)))", out: "true\n"},
		{name: "child process", src: "console.log(require('child_process').execFileSync(process.execPath, ['-p', '6 * 7']).toString())", out: "42\n\n"},
		{name: "files", src: "const fs = require('fs');\nfs.appendFileSync('a.txt', 'world');\nfs.mkdirSync('out/x', { recursive: true });\nfs.writeFileSync('out/x/c.csv', '1,2\\n');\nfs.symlinkSync('a.txt', 'link');\nfs.writeFileSync('/tmp/not-mine', 'x')",
			files: in, artifacts: "a.txt out/x/c.csv"},
		{name: "files of a failure", src: "require('fs').writeFileSync('result', 'x'); throw 5", status: palisade.RuntimeError, exit: 1, errs: "5\n", artifacts: "result"},
		{name: "environment", src: "console.log(Object.keys(process.env).sort().join(), process.cwd() === require('path').dirname(__filename), 'NODE_OPTIONS' in process.env)", out: "HOME,LANG,PATH,TMPDIR,UV_THREADPOOL_SIZE true false\n"},
		{name: "warnings", src: "process.emitWarning('mine'); new (require('vm').Script)('1')", errs: "Warning: mine\n"},
		{name: "output and exit", src: "for (let i = 0; i < 500; i++) console.log('x'.repeat(4096)); process.stdout.write('\u00e9', 'latin1'); process.stdout.write(new Uint8Array(200000).fill(121)); console.error('z'); process.exit(2)",
			status: palisade.RuntimeError, exit: 2, out: strings.Repeat(strings.Repeat("x", 4096)+"\n", 8)[:32<<10] + strings.Repeat("y", 32<<10), errs: "z\n"},
		{name: "much output", src: "for (let i = 0; i < 3000; i++) process.stdout.write('line ' + i + '\\n')", out: lines(3000)},
	})
	s.textRules(t, palisade.JavaScript, "console.log('hello')\n", "console.log('on'); setInterval(() => {}, 1000)")
	t.Run("typescript", func(t *testing.T) {
		// What runs is the JavaScript that was made of it.
		r := s.do(t, call{sub: palisade.Submission{Program: palisade.Program{Language: palisade.TypeScript, Name: "a.ts", Source: []byte("const n = 42;\nconsole.log(n)\n")}}})
		want(t, r, palisade.OK)
		if stdout(r) != "42\n" {
			t.Errorf("stdout %q, stderr %q", stdout(r), stderr(r))
		}
	})
}

// lines is "line 0" to "line n-1".
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("line " + strconv.Itoa(i) + "\n")
	}
	return b.String()
}
