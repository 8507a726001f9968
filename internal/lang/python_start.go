package lang

import (
	"slices"

	"palisade/internal/python"
)

// isolated are the options with which every harness is started, and its path:
// -I ignores PYTHON variables and the user's folder and keeps the script's
// folder off sys.path, -S skips site (no .pth files, no sitecustomize), -B
// writes no bytecode.
var isolated = []string{"-I", "-S", "-B", "-X", "utf8", HarnessPath}

// startPython starts the harness for programs that are judged as trees, with
// the digest of trees in front of it. It appends the module path that follows
// to the interpreter's own; the working directory is never on it.
func startPython(i Interpreters) Start {
	return Start{
		Path:  i.Python,
		Args:  slices.Concat(isolated, i.ModulePath),
		Env:   slices.Clone(pythonEnv),
		Files: map[string][]byte{HarnessPath: harness(python.DigestSource, harnessTree)},

		deterministic: pythonExtra(),
	}
}

// boxEnv is what every box's environment holds.
var boxEnv = []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/work", "TMPDIR=/tmp"}

// pythonEnv is the whole environment of a box for Python. Numeric libraries get
// one thread: processors are a limit of the run, and threads count as processes.
var pythonEnv = append(slices.Clone(boxEnv),
	"OPENBLAS_NUM_THREADS=1",
	"OMP_NUM_THREADS=1",
	"MKL_NUM_THREADS=1",
	"NUMEXPR_NUM_THREADS=1",
	"MPLBACKEND=Agg",
	"MPLCONFIGDIR=/tmp",
)
