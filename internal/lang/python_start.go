package lang

import (
	"bytes"
	"embed"
	"slices"

	"palisade/internal/python"
)

//go:embed harness/*.py
var harnessFiles embed.FS

// harnessParts are the files of the harness, in the order in which they make
// one program; run.py starts it.
var harnessParts = []string{
	"head.py", "channel.py", "source.py", "box.py", "files.py", "value.py", "display.py", "end.py", "run.py",
}

// pythonHarness is the harness, with the digest of trees in front of it.
func pythonHarness() []byte {
	text := bytes.NewBufferString(python.DigestSource)
	for _, name := range harnessParts {
		part, err := harnessFiles.ReadFile("harness/" + name)
		if err != nil {
			panic(err) // it is in the binary, or the binary was not built from this tree
		}
		text.WriteString("\n\n")
		text.Write(part)
	}
	return text.Bytes()
}

// startPython isolates the interpreter from everything around it: -I ignores
// PYTHON variables and the user's folder and keeps the script's folder off
// sys.path, -S skips site (no .pth files, no sitecustomize), -B writes no
// bytecode. The harness appends the module path that follows it to the
// interpreter's own; the working directory is never on it.
func startPython(i Interpreter) Start {
	return Start{
		Path:    i.Path,
		Args:    append([]string{"-I", "-S", "-B", "-X", "utf8", HarnessPath}, i.ModulePath...),
		Env:     slices.Clone(pythonEnv),
		Harness: pythonHarness(),
	}
}

// pythonEnv is the whole environment of a box for Python. Numeric libraries get
// one thread: processors are a limit of the run, and threads count as processes.
var pythonEnv = []string{
	"PATH=/usr/bin:/bin",
	"LANG=C.UTF-8",
	"HOME=/work",
	"TMPDIR=/tmp",
	"OPENBLAS_NUM_THREADS=1",
	"OMP_NUM_THREADS=1",
	"MKL_NUM_THREADS=1",
	"NUMEXPR_NUM_THREADS=1",
	"MPLBACKEND=Agg",
	"MPLCONFIGDIR=/tmp",
}
