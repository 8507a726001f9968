package lang

import (
	"regexp"
	"slices"
	"strings"

	"palisade"
)

// ModuleSet is what a warm box has imported before it gets a program; one for a program
// that runs as text has nothing.
type ModuleSet struct {
	Name string
	// Modules are imported in this order.
	Modules []string
	// Rehearsal is a program that touches what programs with these modules use.
	// It leaves nothing behind, and takes nothing from a random generator.
	Rehearsal string
}

// The sets, each with all that the one before has.
var (
	setPlain = ModuleSet{Name: "stdlib", Modules: []string{
		"math", "random", "datetime", "time", "re", "json", "collections", "itertools", "functools", "operator",
		"string", "decimal", "fractions", "statistics", "heapq", "bisect", "copy", "enum", "dataclasses", "typing",
		"contextlib", "textwrap", "traceback", "linecache",
	}, Rehearsal: rehearsePlain}
	setText = ModuleSet{Name: "text"}
	setData = ModuleSet{Name: "data", Modules: slices.Concat(setPlain.Modules, []string{
		"io", "csv", "numpy", "pandas",
	}), Rehearsal: rehearsePlain + rehearseData + tidy}
	setPlot = ModuleSet{Name: "plot", Modules: slices.Concat(setData.Modules, []string{
		"matplotlib", "matplotlib.pyplot",
	}), Rehearsal: rehearsePlain + rehearseData + tidy}
)

const rehearsePlain = `
import math

class Thing:
    def __init__(self, name, cost):
        self.name, self.cost = name, cost

def solution():
    """How much?"""
    things = [Thing("a%d" % i, i * 1.5) for i in range(20)]
    total = sum(t.cost for t in things) + math.sqrt(2) + 7 // 2 - 2 ** 10
    by_name = sorted({t.name: t for t in things}.items(), key=lambda p: p[1].cost)
    words = ",".join(name for name, _ in by_name).split(",")
    try:
        {}["missing"]
    except KeyError as error:
        words.append(str(error))
    return f"{total:.2f}", round(total, 2), len(words), int("17") % 5

solution()
`

const rehearseData = `
import numpy as np, pandas as pd, io
a = np.arange(12.0).reshape(3, 4)
(a @ a.T).sum(axis=0), a.mean(), np.sqrt(a).std(), a[a > 3], np.linalg.norm(a)
frame = pd.read_csv(io.StringIO("k,v,w\na,1,2.5\nb,2,3.5\na,3,4.5\n"))
frame["x"] = frame["v"] * 2
str(frame.groupby("k").agg({"v": "sum", "w": "mean"})), str(frame.describe()), frame[frame["v"] > 1].sort_values("w")
frame.to_dict(orient="records"), frame.merge(frame, on="k"), repr(frame), frame["v"].sum().item(), frame.to_csv()
pd.Series([1, 2, None]).fillna(0).cumsum().tolist()
`

// tidy has the kernel of a box that waits give back what it needed to start. It
// takes some milliseconds, which is worth it where boxes are large.
const tidy = `
import os
os.sync()
`

// importLine finds the modules of import statements, by line. It is text: what it
// misses, or finds in a string, costs time and nothing else.
var importLine = regexp.MustCompile(`(?m)(?:^|;|:)[ \t]*(?:import|from)[ \t]+([\w., \t]+)`)

// ModulesFor returns the set that suits a program. installed are the top-level
// Python modules that its box has.
func ModulesFor(p palisade.Program, installed []string) ModuleSet {
	if p.Language != palisade.Python {
		return setText
	}
	wants := map[string]bool{}
	look := func(source []byte) {
		for _, m := range importLine.FindAllSubmatch(source, -1) {
			list, _, _ := strings.Cut(string(m[1]), " import ")
			for name := range strings.SplitSeq(list, ",") {
				top, _, _ := strings.Cut(strings.TrimSpace(name), ".")
				top, _, _ = strings.Cut(top, " ")
				wants[top] = true
			}
		}
	}
	look(p.Source)
	for _, m := range p.Modules {
		look(m.Source)
	}
	for _, choice := range []struct {
		set   ModuleSet
		names []string
	}{
		{setPlot, []string{"matplotlib", "seaborn"}},
		{setData, []string{"pandas", "numpy", "scipy", "sklearn", "statsmodels"}},
	} {
		if slices.ContainsFunc(choice.names, func(n string) bool { return wants[n] }) && choice.set.complete(installed) {
			return choice.set
		}
	}
	return setPlain
}

// ModuleSetNamed returns a set by its name.
func ModuleSetNamed(name string) (ModuleSet, bool) {
	for _, s := range []ModuleSet{setPlain, setText, setData, setPlot} {
		if s.Name == name {
			return s, true
		}
	}
	return ModuleSet{}, false
}

// complete reports whether a box can import all of a set.
func (s ModuleSet) complete(installed []string) bool {
	return !slices.ContainsFunc(s.Modules, func(name string) bool {
		top, _, _ := strings.Cut(name, ".")
		return !stdlibModules[top] && !slices.Contains(installed, top)
	})
}
