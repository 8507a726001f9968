package rules

import "palisade"

var _ = add(Rule{
	ID: "py-call", Title: "Uses a part of a module", Severity: palisade.Info, Capability: palisade.CapCall,
	Says:        "uses a part of a module",
	Description: "Policy can allow some of a module's callables and not others.",
	Remedy:      "Use the callables that the profile has.",
	Bad:         []string{"import math\nmath.sqrt(2)", "from os import getcwd", "import math as m\ngetattr(m, 'pi')"},
	Good:        []string{"x = [1]\nx.append(2)", "print('a'.upper())"},
})
