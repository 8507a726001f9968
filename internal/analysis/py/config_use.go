package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// Some settings of libraries name programs that are run, or modules that are
// imported. Sources: matplotlib, "Customizing Matplotlib with style sheets and
// rcParams" (backend, text.usetex, pgf, animation); pandas, "Options and
// settings" (plotting.backend).

// plainBackends are matplotlib's own back-ends that run nothing.
var plainBackends = nameSet("agg cairo pdf ps svg template tkagg tkcairo qtagg qtcairo qt5agg qt5cairo gtk3agg gtk4agg wxagg macosx inline")

// rcParam is one setting of matplotlib's.
func (in *interp) rcParam(n python.Node, key string, v val) {
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

// rcParams are settings in a dict, or by keyword behind a group's name.
func (in *interp) rcParams(n python.Node, s symbol, args callArgs) {
	switch string(s) {
	case "matplotlib.rcParams.update", "matplotlib.pyplot.rcParams.update", "matplotlib.rc_context", "matplotlib.pyplot.rc_context",
		"matplotlib.style.use", "matplotlib.style.context", "matplotlib.rcParamsDefault.update":
		for _, o := range join(args.at(0), args.named("rc")).objs {
			d, ok := o.(*dict)
			if !ok {
				continue
			}
			for _, key := range d.keys {
				if k, ok := key.(cStr); ok {
					in.rcParam(n, string(k), d.items[key])
				}
			}
		}
	case "matplotlib.rcParams.setdefault", "matplotlib.rcParams.__setitem__":
		keys, _ := args.at(0).strings()
		for _, key := range keys {
			in.rcParam(n, key, args.at(1))
		}
	case "matplotlib.rc", "matplotlib.pyplot.rc":
		groups, _ := args.at(0).strings()
		for _, group := range groups {
			for key, v := range ordered(args.kw) {
				in.rcParam(n, group+"."+key, v)
			}
		}
	case "pandas.set_option", "pandas.option_context", "pandas.options.context":
		for i := 0; i+1 < len(args.pos); i += 2 {
			keys, _ := args.at(i).strings()
			for _, key := range keys {
				if strings.HasSuffix(key, "backend") {
					in.plotBackend(n, args.at(i+1))
				}
			}
		}
	}
}

// plotBackend is the module that pandas plots with: it is imported by name.
func (in *interp) plotBackend(n python.Node, v val) {
	list, other := v.strings()
	for _, s := range list {
		other = other || s != "matplotlib"
	}
	if other {
		in.unresolved(n, "pandas.plotting.backend", "a module is imported by a setting")
	}
}

// lendsMemory reports names by which an object tells numpy the address of its
// data: any address of the process can be read and written so.
func lendsMemory(attr string) bool {
	return attr == "__array_interface__" || attr == "__array_struct__"
}

func (in *interp) memory(n python.Node, attr string) {
	in.report(n, analysis.Fact{
		Capability: palisade.CapNative, Symbol: attr, Kind: analysis.KindUse,
		Evidence: "numpy takes an address of memory from it",
	})
}
