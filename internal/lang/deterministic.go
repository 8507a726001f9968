package lang

import (
	"runtime"
	"slices"
)

// extra is what a language adds to the start of a deterministic box.
type extra struct {
	env     []string
	options []string // of the interpreter, in front of its script
	script  string
}

// Deterministic returns the start of a box in which equal programs give equal
// bytes, as far as that is the interpreter's and its libraries' affair: time
// zone, locale, the date that goes into files (reproducible-builds.org, "Source
// date epoch"; matplotlib's SVG and PDF), and which of the processor's
// instructions numbers are computed with. Numeric libraries have one thread in
// every box. Chance and clock are the back-end's.
func (s Start) Deterministic() Start {
	s.Env = slices.Concat(s.Env, []string{"TZ=UTC", "LC_ALL=C.UTF-8", "SOURCE_DATE_EPOCH=946684800"}, s.deterministic.env)
	if at := slices.Index(s.Args, s.deterministic.script); at >= 0 {
		s.Args = slices.Insert(slices.Clone(s.Args), at, s.deterministic.options...)
	}
	return s
}

// portablePython keeps libraries from instructions that not every processor of
// an architecture has, since the last digit of a sum depends on them: on amd64
// what is beyond x86-64-v2, such as AVX and fused multiplication. Sources:
// glibc's manual, "Hardware Capability Tunables"; OpenBLAS's documentation,
// OPENBLAS_CORETYPE; NumPy's, "CPU build options", runtime dispatch; Intel's,
// "Conditional Numerical Reproducibility". NumPy takes the names of every
// version together (numpy/core/src/common/npy_cpu_features.c): of those that one
// does not know it only warns, which the harness keeps from the program. For
// other languages there is no such list: some commands do not come up with
// glibc's variable in gVisor.
var portablePython = map[string][]string{
	"amd64": {
		"GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F",
		"OPENBLAS_CORETYPE=Nehalem",
		"MKL_CBWR=COMPATIBLE",
		"NPY_DISABLE_CPU_FEATURES=AVX F16C XOP FMA4 FMA3 AVX2 AVX512F AVX512CD AVX512_KNL AVX512_KNM " +
			"AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V3 X86_V4",
	},
}

// pythonExtra is for programs in the harness's own process.
func pythonExtra() extra { return extra{env: portablePython[runtime.GOARCH]} }

// nodeExtra fixes what V8 draws from sources other than the kernel's.
func nodeExtra() extra {
	return extra{options: []string{"--random-seed=1", "--hash-seed=1"}, script: nodeScript}
}
