// Reads a file with a JSON list of programs and prints a JSON list of what CPython, compiled
// to WebAssembly, makes of them: the digest of the tree, or "x".
// Usage: node pyodide.js DIRECTORY-OF-PYODIDE DIGEST.PY PROGRAMS.JSON
const fs = require("fs");
const path = require("path");
const { loadPyodide } = require(path.join(process.argv[2], "node_modules", "pyodide"));
(async () => {
  const py = await loadPyodide();
  py.globals.set("source", fs.readFileSync(process.argv[3], "utf8"));
  py.globals.set("programs", fs.readFileSync(process.argv[4], "utf8"));
  console.log(py.runPython(`
import json, warnings
warnings.simplefilter("ignore")
space = {}
exec(source, space)
def answer(program):
    try:
        compile(program, "program", "exec", 0, dont_inherit=True)
        return space["digest"](compile(program, "program", "exec", 1024, dont_inherit=True))
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return "x"
json.dumps([answer(p) for p in json.loads(programs)])
`));
})();
