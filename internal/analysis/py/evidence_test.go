package py

import (
	"strings"
	"testing"

	"palisade"
	"palisade/internal/python"
)

func TestEvidence(t *testing.T) {
	for _, c := range []struct {
		src        string
		capability palisade.Capability
		want       string
	}{
		{"import os as o\nf = o.system\nf('id')", palisade.CapProcess, "import os as o → f = o.system → f('id') → os.system"},
		{"from os import system as s\ns('id')", palisade.CapProcess, "from os import system as s → s('id') → os.system"},
		{"import os\nn = 'sys' + 'tem'\ngetattr(os, n)('id')", palisade.CapProcess, "n = 'sys' + 'tem' → getattr(os, n)('id') → os.system"},
		{"import os\ngetattr(os, 'metsys'[::-1])('id')", palisade.CapProcess, "getattr(os, 'metsys'[:])('id') → os.system"},
		{"import os\nfor f in [os.popen]:\n    f('id')", palisade.CapProcess, "for f in [os.popen] → f('id') → os.popen"},
		{"import os\nx, y = 1, os.system\ny('id')", palisade.CapProcess, "(x, y) = (1, os.system) → y('id') → os.system"},
		{"p = '/etc'\nq = p + '/shadow'\nopen(q)", palisade.CapReadPath, "q = p + '/shadow' → open(q)"},
		{"open('data/' + input())", palisade.CapReadPath, "open('data/' + input()): starts with data/"},
		{"import requests\nu = 'http://' + '.'.join(['10', '0', '0', '1'])\nrequests.get(u)", palisade.CapNetwork, "u = 'http://' + '.'.join(['10', '0', '0', '1']) → requests.get(u)"},
		{"import queue, os\nq = queue.Queue()\nq.put(os)\nq.get().remove('/x')", palisade.CapDeletePath, "q = queue.Queue() → q.get().remove('/x')"},
		{"().__class__.__base__.__subclasses__()", palisade.CapIntrospect, "().__class__.__base__.__subclasses__"},
		{"x = 'a\\nb' * 2\neval(x)", palisade.CapEvaluate, `x = 'a\nb' * 2 → eval(x)`},
	} {
		normal, err := python.Normalize([]byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := python.Parse(normal, python.Options{})
		if err != nil {
			t.Fatal(err)
		}
		facts, err := Analyze(Program{Main: Source{File: "p.py", Tree: tree}}, Budget{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range facts {
			if strings.ContainsAny(f.Evidence, "\n\r") {
				t.Errorf("not one line: %q", f.Evidence)
			}
			if f.Capability == c.capability {
				got = append(got, f.Evidence)
			}
		}
		if len(got) == 0 || !strings.Contains(strings.Join(got, "\n"), c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.src, got, c.want)
		}
	}
}
