package rules

import "palisade"

var _ = add(Rule{
	ID: "py-thread", Title: "Starts threads", Severity: palisade.Info, Capability: palisade.CapThread, CWE: 400,
	Says:        "could start threads or workers of its own",
	Description: "Threads are counted with processes against the limit.",
	Remedy:      "Compute in one thread; numpy brings its own.",
	Bad:         []string{"import threading\nthreading.Thread(target=print).start()", "from concurrent.futures import ThreadPoolExecutor as T\nT(4)"},
	Good:        []string{"import threading\nthreading.Lock()"},
})

var _ = add(Rule{
	ID: "py-exit", Title: "Ends the interpreter at once", Severity: palisade.Low, Capability: palisade.CapExit, CWE: 705,
	Says:        "could end the interpreter at once",
	Description: "Output that was not flushed and results that were not handed over are lost.",
	Remedy:      "Return, or call sys.exit.",
	Bad:         []string{"import os\nos._exit(0)", "from os import abort\nabort()"},
	Good:        []string{"import sys\nsys.exit(0)", "exit()"},
})
