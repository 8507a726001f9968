package js

import (
	"strconv"
	"strings"
	"sync"
)

// effect is one thing that a call does: what, and with which argument (-1: no
// particular one).
type effect struct {
	does    string
	arg     int
	dialect string
}

// entry is a row of the tables of effects.
type entry struct {
	effects []effect
	named   bool // a use where it is named, called or not
	result  string
}

type tables struct {
	entries map[string]*entry
	// containers are the paths that have something with an effect under them.
	containers map[string]bool
}

var effects = sync.OnceValue(func() *tables {
	t := &tables{entries: map[string]*entry{}, containers: map[string]bool{}}
	t.read(nodeEffects)
	t.read(packageEffects)
	for _, name := range strings.Fields(fsExtra) {
		t.entries["pkg:fs-extra."+name] = t.entries["fs."+name]
	}
	return t
})

func (t *tables) read(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		line, result, _ := strings.Cut(line, " -> ")
		left, right, _ := strings.Cut(line, " = ")
		left = strings.TrimSuffix(left, " =")
		module, names, _ := strings.Cut(left+" ", ": ")
		e := entry{result: strings.TrimSpace(result)}
		for _, word := range strings.Fields(right) {
			if f, ok := readEffect(word); ok {
				e.effects = append(e.effects, f)
			}
		}
		t.put(module, strings.Fields(names), e)
	}
}

// put enters names of a module; none: the module itself.
func (t *tables) put(module string, names []string, e entry) {
	if len(names) == 0 || len(names) == 1 && names[0] == "!" {
		e.named = len(names) == 1
		t.entries[module] = &e
		return
	}
	for _, name := range names {
		own := e
		own.named = strings.HasPrefix(name, "!")
		path := module + "." + strings.TrimPrefix(name, "!")
		t.entries[path] = &own
		if len(own.effects) == 0 && own.result == "" {
			continue
		}
		for at := 0; ; {
			dot := strings.IndexByte(path[at:], '.')
			if dot < 0 {
				break
			}
			t.containers[path[:at+dot]] = true
			at += dot + 1
		}
	}
}

func readEffect(word string) (effect, bool) {
	if word == "none" {
		return effect{}, false
	}
	does, rest, _ := strings.Cut(word, "(")
	f := effect{does: does, arg: -1}
	arg, dialect, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ",")
	if n, err := strconv.Atoi(arg); err == nil {
		f.arg = n
	}
	f.dialect = dialect
	return f, true
}

// fsExtra are the functions that the package fs-extra has from fs. Source: its
// README.
const fsExtra = "readFile writeFile appendFile createReadStream createWriteStream readdir stat lstat mkdir rm rmdir unlink " +
	"rename copyFile cp link symlink open access exists realpath truncate chmod chown utimes watch"

// entryOf is the table's row of a path.
func entryOf(path string) *entry { return effects().entries[path] }

// effective reports whether a path, or something under it, has an effect.
func effective(path string) bool {
	t := effects()
	if e := t.entries[path]; e != nil && (len(e.effects) > 0 || e.result != "") {
		return true
	}
	return t.containers[path]
}

// builtins are the modules of Node.js. Source: Node.js 20,
// require('module').builtinModules, with those that need "node:".
const builtins = " assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram " +
	"diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises module " +
	"net os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl sea sqlite " +
	"stream stream/consumers stream/promises stream/web string_decoder sys test test/reporters timers timers/promises tls " +
	"trace_events tty url util util/types v8 vm wasi worker_threads zlib "

func isBuiltin(module string) bool { return strings.Contains(builtins, " "+module+" ") }

// same modules under another name.
var moduleAliases = map[string]string{
	"fs/promises": "fs", "dns/promises": "dns", "readline/promises": "readline", "path/posix": "path", "path/win32": "path",
	"inspector/promises": "inspector", "_http_client": "http", "_http_server": "http", "_http_agent": "http",
	"_http_common": "http", "_http_outgoing": "http", "_http_incoming": "http", "_tls_wrap": "tls", "_tls_common": "tls", "_stream_wrap": "stream", "assert/strict": "assert", "sys": "util",
}

// other paths to the same thing. Source: Node.js 20.
var pathAliases = map[string]string{
	"fs.promises": "fs", "dns.promises": "dns", "readline.promises": "readline", "path.posix": "path", "path.win32": "path",
	"require.main": "module!", "module!.require": "require", "module!.parent": "module!", "module.Module": "module",
	"buffer.Buffer": "Buffer", "test.test": "test", "url.URL": "URL", "util.TextDecoder": "TextDecoder", "util.TextEncoder": "TextEncoder",
	"buffer.atob": "atob", "buffer.btoa": "btoa", "timers.setTimeout": "setTimeout", "timers.setInterval": "setInterval",
	"timers.setImmediate": "setImmediate", "http.globalAgent": "http.Agent", "https.globalAgent": "http.Agent", "process.process": "process", "assert.strict": "assert",
}

// canonical gives the one path of a thing that several lead to.
func canonical(path string) string {
	if to, ok := pathAliases[path]; ok {
		return to
	}
	if base, ok := strings.CutSuffix(path, ".default"); ok && !strings.Contains(base, ".") {
		return base
	}
	if name, ok := strings.CutPrefix(path, "fs."); ok {
		if short, ok := strings.CutSuffix(name, "Sync"); ok {
			return "fs." + short
		}
	}
	if name, ok := strings.CutPrefix(path, "pkg:fs-extra."); ok {
		return "pkg:fs-extra." + strings.TrimSuffix(name, "Sync")
	}
	if strings.Count(path, ".") > 4 { // a name that grows in a loop
		root, _, _ := strings.Cut(path, ".")
		return root + ".…"
	}
	return path
}

// display is a path as a reader knows it.
func display(path string) string {
	switch path {
	case functionByWalk:
		return "constructor.constructor"
	case someConstructor:
		return "constructor"
	}
	return strings.NewReplacer("pkg:", "", "module!", "module", "import!", "import.meta").Replace(path)
}
