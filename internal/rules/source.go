package rules

import "palisade"

var _ = add(Rule{
	ID: "hidden-characters", Title: "Has characters that do not show", Severity: palisade.High, Capability: palisade.CapObfuscation, CWE: 1007,
	Says:        "has characters that do not show or that reorder what is shown",
	Description: "Bidirectional and invisible controls make a reader see other code than the interpreter does.",
	Remedy:      `Write such characters as escapes: "\u200b".`,
	Bad: []string{
		"x = 'a\u202eb'", "# \u2066 comment", "y = 'a\u200bb'", "z = '\U000e0041'", "print('\x1b[2K')",
	},
	Good: []string{"x = 'é 中 👨\u200d👩\u200d👧'", `x = '\u202e'`, "x = 'می\u200cخواهم'"},
})

var _ = add(Rule{
	ID: "unparsable", Title: "Cannot be parsed", Severity: palisade.Critical, Capability: palisade.CapUnparsable, CWE: 437,
	Says:        "cannot be parsed",
	Description: "There is no tree that the program could be held to.",
	Remedy:      "Correct the error at the place that is named.",
	Bad:         []string{"def f(:", "print 'x'", "# -*- coding: utf-7 -*-\n", "x = 1\x00"},
	Good:        []string{"x = 1", "# -*- coding: utf-8 -*-\n", ""},
})

var _ = add(Rule{
	ID: "unread-program", Title: "Carries a program that could not be read", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 94,
	Says:        "carries a program in another language that could not be read",
	Description: "A command line or a script inside a program is read like one that stands alone; what cannot be read may do anything.",
	Remedy:      "Do it in the program's own language, or write the inner program plainly.",
	Bad:         []string{"import os\nos.system('if then (')"},
	Good:        []string{"print('if then (')"},
})

var _ = add(Rule{
	ID: "oversized", Title: "Is too large to be read", Severity: palisade.Critical, Capability: palisade.CapOversized, CWE: 770,
	Says:        "is larger than what is read",
	Description: "What is not read is not run.",
	Remedy:      "Pass data as files or arguments, not in the program.",
	Long:        manyBytes,
	Good:        []string{"x = 1"},
})

var _ = add(Rule{
	ID: "analysis-failed", Title: "Could not be read within its budget", Severity: palisade.Critical, Capability: palisade.CapFailed, CWE: 407,
	Says:        "could not be read within the budget",
	Description: "A program that cannot be read in bounded time is not run.",
	Remedy:      "Make the program simpler.",
	Long:        manyFacts,
	Good:        []string{"x = 1", "def f(n):\n    return n if n < 2 else f(n-1) + f(n-2)\nprint(f(30))"},
})
