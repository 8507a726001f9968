package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "py-introspect", Title: "Reaches into the interpreter", Severity: palisade.High, Capability: palisade.CapIntrospect, CWE: 265,
	Says:        "could reach the interpreter's own objects",
	Description: "From any object, Python's own attributes lead to every class, frame and module.",
	Remedy:      "Use values by their public names.",
	Bad: []string{
		"().__class__.__base__.__subclasses__()", "g = (x for x in ())\ng.gi_frame.f_globals",
		"try:\n    1/0\nexcept Exception as e:\n    e.__traceback__.tb_frame", "print.__self__", "globals()['x']",
		"try:\n    object.x\nexcept AttributeError as e:\n    e.obj", "import gc\ngc.get_objects()",
		"import sys\nsys._getframe()", "(lambda: 0).__code__", "import sys\nsys.modules['os']",
	},
	Good: []string{
		"class A:\n    def __init__(self): self.x = 1\nprint(A().__class__.__name__)", "if __name__ == '__main__':\n    print(__doc__)",
		"try:\n    1/0\nexcept ZeroDivisionError as e:\n    print(e.args)", "x = {'obj': 1}\nprint(x['obj'])",
	},
})

var _ = add(Rule{
	ID: "py-format-walk", Title: "Walks attributes in a string", Severity: palisade.High, Capability: palisade.CapIntrospect, CWE: 134,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindText },
	Says:        "names the interpreter's own objects in a string",
	Description: "A format string, or a name that is put together, looks attributes up where nobody reads them.",
	Remedy:      "Format values, not attributes.",
	Bad:         []string{"'{0.__class__.__base__}'.format(())", "n = '__glo' + 'bals__'", "x = '__subclasses__'"},
	Good:        []string{"'{0.name} {1[a]}'.format(x, y)", "'{:>10}'.format(3)"},
})

var _ = add(Rule{
	ID: "py-private", Title: "Uses a module's private part", Severity: palisade.Medium, Capability: palisade.CapIntrospect, CWE: 265,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindPrivate },
	Says:        "uses or replaces a private part of a module",
	Description: "What a module keeps to itself, often other modules, is not what policy allowed when it allowed the module.",
	Remedy:      "Use the module's public names.",
	Bad:         []string{"import random\nrandom._os", "import numpy\nnumpy._core._internal", "import math\nmath.sqrt = print"},
	Good:        []string{"class A:\n    _x = 1\nA()._x", "import sys, io\nsys.stdout = io.StringIO()"},
})
