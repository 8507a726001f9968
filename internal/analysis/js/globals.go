package js

import "strings"

// globalFunctions and globalObjects are what a program finds without declaring
// or importing it. Source: ECMAScript 2023, 19; Node.js 20, "Global objects".
const (
	globalFunctions = " require eval Function AsyncFunction Object Array String Number Boolean Symbol BigInt Promise Map Set " +
		"WeakMap WeakSet WeakRef FinalizationRegistry Date RegExp Error TypeError RangeError SyntaxError EvalError " +
		"ReferenceError URIError AggregateError Proxy Buffer URL URLSearchParams TextDecoder TextEncoder AbortController Event " +
		"EventTarget Blob File FormData Headers Request Response ReadableStream WebSocket EventSource XMLHttpRequest Worker " +
		"fetch setTimeout setInterval setImmediate clearTimeout clearInterval queueMicrotask structuredClone atob btoa escape " +
		"unescape encodeURI encodeURIComponent decodeURI decodeURIComponent parseInt parseFloat isNaN isFinite Uint8Array " +
		"Int8Array Uint8ClampedArray Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array BigInt64Array " +
		"BigUint64Array ArrayBuffer SharedArrayBuffer DataView Iterator BroadcastChannel MessageChannel internalBinding " +
		"(Function) (constructor) "
	globalObjects = " process console JSON Math Reflect Intl Atomics WebAssembly performance navigator crypto primordials Deno " +
		"Bun module! module!.exports globalThis import! "
)

func isGlobal(name string) bool {
	return strings.Contains(globalFunctions, " "+name+" ") || strings.Contains(globalObjects, " "+name+" ")
}

// isCallable reports whether a known thing is a function, so that its own
// constructor is Function. In doubt it is.
func isCallable(path string) bool {
	switch {
	case strings.HasPrefix(path, "/"), strings.HasSuffix(path, "()"):
		return false
	case strings.HasPrefix(path, "Symbol.") && strings.Count(path, ".") == 1:
		return path == "Symbol.for" || path == "Symbol.keyFor"
	case strings.HasSuffix(path, ".prototype"):
		return path == "Function.prototype"
	case path == "assert" || path == "events" || path == "stream" || path == "test" || path == "module":
		return true // modules that are functions
	case strings.Contains(globalObjects, " "+path+" "), isBuiltin(path):
		return false
	case !strings.Contains(path, "."):
		return strings.Contains(globalFunctions, " "+path+" ") || strings.HasPrefix(path, "pkg:")
	}
	switch path {
	case "process.env", "process.argv", "process.versions", "process.stdout", "process.stderr", "process.stdin", "process.release",
		"process.config", "process.mainModule", "process.report", "fs.constants", "os.constants", "Math.PI":
		return false
	}
	return !strings.HasPrefix(path, "process.env.")
}

// constantOf is the value of what is the same in every box.
func constantOf(path string) set {
	switch path {
	case "path.sep":
		return str("/")
	case "path.delimiter":
		return str(":")
	case "os.EOL":
		return str("\n")
	case "process.platform":
		return str("linux")
	case "process.execPath":
		return str("/usr/bin/node")
	case "import!.url":
		return str("file:///work/program.mjs")
	case "import!.dirname", "module!.path":
		return str("/work")
	case "import!.filename", "module!.filename", "module!.id":
		return str("/work/program.js")
	}
	return nil
}
