package rules

import "palisade"

var _ = add(Rule{
	ID: "py-native", Title: "Loads or calls native code", Severity: palisade.Critical, Capability: palisade.CapNative, CWE: 114,
	Says:        "could load or call native code",
	Description: "Native code is not bounded by anything that Python promises, and cannot be read here.",
	Remedy:      "Write it in Python, or use numpy.",
	Bad: []string{
		"import ctypes", "import numpy\nnumpy.ctypeslib.load_library('x', '.')", "import mmap\nmmap.mmap(-1, 10)",
		"import sqlite3\nc = sqlite3.connect(':memory:')\nc.enable_load_extension(True)",
	},
	Good: []string{"import numpy as np\nnp.zeros(3)", "import sqlite3\nsqlite3.connect(':memory:').execute('select 1')"},
})
