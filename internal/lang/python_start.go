package lang

import (
	_ "embed"
	"slices"

	"palisade/internal/python"
)

//go:embed harness.py
var harnessPython string

// pythonHarness is the harness with the digest of trees in front of it.
func pythonHarness() []byte {
	return []byte(python.DigestSource + "\n\n" + harnessPython)
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
