package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// matplotlib's settings name programs that are run and modules that are imported.
// Source: matplotlib, "Customizing Matplotlib with style sheets and rcParams"
// (backend, text.usetex, pgf, animation).

// plainBackends are matplotlib's own back-ends that run nothing.
var plainBackends = nameSet("agg cairo pdf ps svg template tkagg tkcairo qtagg qtcairo qt5agg qt5cairo gtk3agg gtk4agg wxagg macosx inline")

// rcParam is one setting of matplotlib's.
func (in *interp) rcParam(n python.Node, key string, v val) {
	if key == "axes.prop_cycle" { // a text is evaluated
		in.expression(n, analysis.Fact{Capability: palisade.CapEvaluate, Symbol: "matplotlib.rcParams"}, v, nil, false)
	}
	runs := false
	list, other := v.strings()
	switch {
	case key == "backend":
		runs = other
		for _, s := range list {
			runs = runs || !plainBackends[strings.ToLower(s)]
		}
	case key == "animation.writer":
		runs = other
		for _, s := range list {
			runs = runs || s != "pillow" && s != "html"
		}
	case key == "text.usetex":
		truth, known := truthOf(v)
		runs = truth || !known
	case key == "ps.usedistiller":
		runs = other && hasText(v)
		for _, s := range list {
			runs = runs || s != "none"
		}
	case strings.HasPrefix(key, "pgf."), key == "text.latex.preamble",
		strings.HasPrefix(key, "animation.") && (strings.HasSuffix(key, "_path") || strings.HasSuffix(key, "_args")):
		runs = true
	}
	if runs {
		in.report(n, analysis.Fact{
			Capability: palisade.CapProcess, Symbol: "matplotlib.rcParams", Argument: key, Kind: analysis.KindUse,
			Evidence: "a setting that makes matplotlib run another program or import a module",
		})
	}
}

// isSettings reports whether something of matplotlib's is its settings, or a dict
// of them: those of a style become settings when it is used.
func isSettings(s symbol) bool {
	rest, ok := strings.CutPrefix(string(s), "matplotlib.")
	if !ok {
		return false
	}
	for name := range strings.SplitSeq(rest, ".") {
		switch name {
		case "rcParams", "rcParamsDefault", "rcParamsOrig", "RcParams", "rc_params", "library", "_base_library":
			return true
		}
	}
	return false
}

// copiedFrom is what a mapping that is copied holds: matplotlib's own settings are
// those that it has already.
func copiedFrom(o object) val {
	if s, ok := o.(symbol); ok && isSettings(s) {
		return val{}
	}
	return unknown
}

// settingItem is one setting that is stored under what key may be, or a style
// that is stored under a name of its own.
func (in *interp) settingItem(n python.Node, key, v val) {
	for i := range v.size() {
		if d, ok := v.at(i).(*dict); ok && in.deeper() {
			in.settingsFrom(n, callArgs{pos: []val{one(d)}})
			in.shallower()
		}
	}
	keys, _ := key.strings()
	for _, k := range keys {
		in.rcParam(n, k, v)
	}
	if mayBeSetting(key) && turnsOn(v) {
		in.unresolved(n, "matplotlib.rcParams", "a setting whose name is computed")
	}
}

// settingsFrom are settings in a mapping, in pairs or by keyword.
func (in *interp) settingsFrom(n python.Node, args callArgs) {
	for key, v := range ordered(args.kw) {
		in.rcParam(n, key, v)
	}
	given := join(args.at(0), args.named("rc"))
	all := newDict()
	for i := range given.size() {
		switch o := given.at(i).(type) {
		case *dict:
			in.merge(all, one(o), false)
		case *list: // of pairs, or of styles
			parts := o.element()
			for j := range parts.size() {
				switch part := parts.at(j).(type) {
				case *dict:
					in.merge(all, one(part), false)
				case *list:
					in.merge(all, one(o), false)
				}
			}
		}
	}
	for _, key := range all.keys {
		in.settingItem(n, one(key), all.items[key])
	}
	if given.open || !all.exact && turnsOn(all.rest) {
		in.unresolved(n, "matplotlib.rcParams", "settings whose names are computed")
	}
}

// runningSettings are the settings that run something, or what those begin with.
var runningSettings = []string{"backend", "animation.", "text.usetex", "text.latex.preamble", "ps.usedistiller", "pgf."}

// mayBeSetting reports whether a name that is computed may be that of one of those.
func mayBeSetting(key val) bool {
	for i := range key.size() {
		switch k := key.at(i).(type) {
		case cStr, cNone, cBool, cInt, cFloat, number, pattern:
		case prefix:
			for _, s := range runningSettings {
				if strings.HasPrefix(s, string(k)) || strings.HasPrefix(string(k), s) {
					return true
				}
			}
		default:
			return true
		}
	}
	return key.open
}

// turnsOn reports whether a value may turn on a setting that is a choice, or name
// something: matplotlib takes 1 for true, and no other number.
func turnsOn(v val) bool {
	for i := range v.size() {
		switch o := v.at(i).(type) {
		case cNone, *list, *dict:
		case cBool:
			if o {
				return true
			}
		case cInt:
			if o == 1 {
				return true
			}
		case cFloat:
			if o == 1 {
				return true
			}
		default:
			return true
		}
	}
	return v.open
}

// texKeywords are settings of a text that make matplotlib run LaTeX, given to
// whatever draws or changes it, by name or in a dict. Source: matplotlib.text.Text.
func (in *interp) texKeywords(n python.Node, args callArgs) {
	in.texKeyword(n, "text.usetex", args.kw["usetex"])
	for _, v := range args.pos {
		in.texDict(n, v)
	}
	for _, key := range []string{"fontdict", "rc", "matplotlib_rc"} {
		in.texDict(n, args.kw[key])
	}
}

func (in *interp) texDict(n python.Node, v val) {
	for i := range v.size() {
		if d, ok := v.at(i).(*dict); ok {
			in.texKeyword(n, "text.usetex", d.items[cStr("usetex")])
			in.texKeyword(n, "text.usetex", d.items[cStr("text.usetex")])
			in.texKeyword(n, "text.latex.preamble", d.items[cStr("text.latex.preamble")])
			in.rcParam(n, "axes.prop_cycle", d.items[cStr("axes.prop_cycle")])
		}
	}
}

func (in *interp) texKeyword(n python.Node, key string, v val) {
	if truth, known := truthOf(v); truth || !known && !v.empty() {
		in.rcParam(n, key, v)
	}
}

// styleFile is a file of settings, which may make matplotlib run LaTeX as any may:
// it is not read. A name without folder and ending is one of matplotlib's own.
func (in *interp) styleFile(n python.Node, s symbol, v val) {
	list, _ := textsWithin(v).strings()
	for _, name := range list {
		if strings.ContainsAny(name, "/.") && !strings.HasPrefix(name, "matplotlib.") {
			in.unresolved(n, string(s), "a file of settings is not read")
		}
	}
}
