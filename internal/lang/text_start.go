package lang

import (
	"fmt"
	"slices"
)

// TextPath is the path by which an interpreter opens the text of its program,
// where the harness is the first process: a descriptor of that one. It stands
// in the interpreter's messages.
const TextPath = "/proc/1/fd/1001"

// textNeeds are the system calls without which no text runs: the harness starts
// the interpreter as its child, on a sealed file of memory.
var textNeeds = []string{"exec", "fork", "memfd"}

// startText starts the harness for programs that run as text, and tells it the
// interpreter's command line. In that, {text} stands for the path of the text,
// {name} for the program's name and {heap} for the largest heap in MiB.
func startText(i Interpreters, env []string, args ...string) Start {
	return Start{
		Path:      i.Python,
		Args:      slices.Concat(isolated, []string{i.Program}, args),
		Env:       env,
		Files:     map[string][]byte{HarnessPath: harness("", harnessText)},
		Processes: 1,
		Needs:     textNeeds,
	}
}

// startShell reads no start-up file; the environment holds nothing of which
// bash would make a function or run a file.
func startShell(i Interpreters) Start {
	return startText(i, slices.Clone(boxEnv), "--norc", "--noprofile", "{text}")
}

// nodeScript is the script with which node runs a program's text.
const nodeScript = boxFolder + "start.cjs"

// nodeExit leads node's clients through the box's proxy, where it has one.
const nodeExit = boxFolder + "exit.cjs"

// startNode keeps node from what is not the program's: native modules, and
// modules from folders above the working directory. Modules of package vm run a
// text as an ES module. Two threads of each kind are enough for one program
// that counts them among its processes.
//
// Nothing is taken from the language itself (__proto__, eval): inside the box's
// one process there is nobody to be kept from anything.
func startNode(i Interpreters) Start {
	options := []string{"--no-addons", "--no-global-search-paths", "--experimental-vm-modules", "--v8-pool-size=2", "--max-old-space-size={heap}"}
	if sparesAddresses(i.Version) {
		options = append(options, "--disable-wasm-trap-handler")
	}
	s := startText(i, append(slices.Clone(boxEnv), "UV_THREADPOOL_SIZE=2"), append(options, nodeScript, "{text}", "{name}")...)
	s.Files[nodeScript], s.Files[nodeExit] = harnessFile("start.cjs"), harnessFile("exit.cjs")
	s.deterministic = nodeExtra()
	return s
}

// sparesAddresses reports whether node can do without the 10 GiB of address
// space that it otherwise reserves for each WebAssembly memory, which is more
// than a box has where memory is bounded by address space. Source: the history
// of --disable-wasm-trap-handler in Node.js's documentation.
func sparesAddresses(version string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "v%d.%d", &major, &minor); n != 2 {
		return false
	}
	return major == 20 && minor >= 15 || major == 22 && minor >= 2 || major > 22
}
