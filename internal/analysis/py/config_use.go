package py

import (
	"regexp"
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// Some settings of libraries name programs that are run, or modules that are
// imported: see rcparams.go for matplotlib's. Source: pandas, "Options and
// settings" (plotting.backend).

// rcParams are settings in a dict, or by keyword behind a group's name.
func (in *interp) rcParams(n python.Node, s symbol, args callArgs) {
	if owner, method := splitLast(string(s)); isSettings(symbol(owner)) {
		switch method {
		case "update", "__ior__", "__init__":
			in.settingsFrom(n, args)
		case "setdefault", "__setitem__", "_set":
			in.settingItem(n, args.at(0), args.at(1))
		}
	}
	switch string(s) {
	case "matplotlib.rc_context", "matplotlib.pyplot.rc_context", "matplotlib.style.use", "matplotlib.style.context", "matplotlib.RcParams":
		if strings.HasPrefix(string(s), "matplotlib.style.") {
			in.styleFile(n, s, args.at(0))
		}
		in.settingsFrom(n, args)
	case "matplotlib.rc", "matplotlib.pyplot.rc":
		groups, _ := args.at(0).strings()
		for _, group := range groups {
			for key, v := range ordered(args.kw) {
				in.rcParam(n, group+"."+key, v)
			}
		}
	case "pandas.set_option", "pandas.option_context", "pandas.options.context":
		for i := 0; i+1 < len(args.pos); i += 2 {
			in.pandasOption(n, args.at(i), args.at(i+1))
		}
		if v := args.named("val"); !v.empty() {
			in.pandasOption(n, args.get(0, "pat"), v)
		}
		given := args.at(0)
		for i := range given.size() {
			o := given.at(i)
			if d, ok := o.(*dict); ok {
				for _, key := range d.keys {
					in.pandasOption(n, one(key), d.items[key])
				}
			}
		}
	case "requests.get", "requests.post", "requests.put", "requests.request", "requests.head", "requests.delete", "requests.patch":
		if v := args.named("proxies"); !v.empty() && !v.has(cNone{}) {
			in.words(n, analysis.Fact{Capability: palisade.CapNetwork, Symbol: string(s), Evidence: "a proxy"}, in.values(v), false)
		}
	case "joblib.Parallel":
		in.workers(n, args)
	case "unittest.main", "unittest.TestProgram":
		in.testsByName(n, s, args)
	case "os.environ.setdefault", "os.environ.__setitem__", "os.putenv":
		in.environmentSetting(n, args.at(0), args.at(1))
	case "os.environ.update":
		given := args.at(0)
		for i := range given.size() {
			o := given.at(i)
			if d, ok := o.(*dict); ok {
				for _, key := range d.keys {
					in.environmentSetting(n, one(key), d.items[key])
				}
			}
		}
		for key, v := range ordered(args.kw) {
			in.environmentSetting(n, text(key), v)
		}
	}
}

// pandasOption is one option of pandas': its name is a pattern that is searched
// for in the names of all, without regard to case.
func (in *interp) pandasOption(n python.Node, name, v val) {
	names, other := name.strings()
	for _, s := range names {
		re, err := regexp.Compile("(?i)" + s)
		other = other || err != nil || re.MatchString("plotting.backend")
	}
	if other {
		in.plotBackend(n, v)
	}
}

// settingAttribute is an option that is set as an attribute: pd.options.plotting.backend.
func (in *interp) settingAttribute(n python.Node, s symbol, attr string, v val) {
	switch {
	case attr == "baseFilename" && strings.HasPrefix(string(s), "logging."):
		in.paths(n, analysis.Fact{Capability: palisade.CapWritePath, Symbol: string(s) + "." + attr}, v, false)
	case attr == "source" && s == "shlex.shlex":
		in.report(n, analysis.Fact{
			Capability: palisade.CapReadPath, Symbol: "shlex.shlex.source", Unknown: true,
			Evidence: "the word behind this one names a file",
		})
	case attr == "name" && s == fieldOf:
		in.annotates(n, "dataclasses.Field.name")
	case attr == "fromfile_prefix_chars":
		in.unresolved(n, string(s)+"."+attr, "an argument may name a file")
	case s == "tarfile.TarInfo":
		in.strangeMembers = true
	}
	if attr == "backend" && strings.HasPrefix(string(s), "pandas.") && strings.HasSuffix(string(s), ".plotting") {
		in.plotBackend(n, v)
	}
}

// librarySetting is an attribute that a library's own object reads later, whatever
// it is called on: numpy.load's archive asks allow_pickle when a member is read,
// scipy's distributions run _parse_arg_template as code when they are copied.
func (in *interp) librarySetting(n python.Node, attr string, v val) {
	f := analysis.Fact{Symbol: attr, Kind: analysis.KindUse, Evidence: "assigned: the library goes by it later"}
	switch attr {
	case "allow_pickle":
		if truth, known := truthOf(v); known && !truth {
			return
		}
		f.Capability = palisade.CapDeserialize
	case "_parse_arg_template", "parse_arg_template":
		f.Capability, f.Unknown = palisade.CapEvaluate, true
	default:
		return
	}
	in.report(n, f)
}

// workers reports joblib's Parallel where it works in processes of its own.
// Source: joblib, "Embarrassingly parallel for loops".
func (in *interp) workers(n python.Node, args callArgs) {
	jobs := args.get(0, "n_jobs")
	if jobs.empty() || jobs.size() == 1 && !jobs.open && (jobs.has(cInt(1)) || jobs.has(cNone{})) {
		return
	}
	for _, shared := range []struct{ key, value string }{{"prefer", "threads"}, {"backend", "threading"}, {"backend", "sequential"}, {"require", "sharedmem"}} {
		if v := args.named(shared.key); v.size() == 1 && !v.open && v.has(cStr(shared.value)) {
			return
		}
	}
	in.report(n, analysis.Fact{
		Capability: palisade.CapProcess, Symbol: "joblib.Parallel",
		Evidence: "several jobs without prefer='threads' are processes",
	})
}

// environmentSetting is a variable that steers a library which is imported later.
func (in *interp) environmentSetting(n python.Node, key, v val) {
	names, _ := key.strings()
	for _, name := range names {
		switch name {
		case "MPLBACKEND":
			in.rcParam(n, "backend", v)
		case "PYTZ_TZDATADIR", "PYTHONTZPATH", "MPLCONFIGDIR", "MATPLOTLIBRC", "TMPDIR", "TEMP", "TMP":
			in.paths(n, analysis.Fact{
				Capability: palisade.CapReadPath, Symbol: "os.environ", Evidence: name + " names a folder that a library reads",
			}, v, false)
		}
	}
}

// savesTeX reports whether a figure that is saved under a name runs LaTeX.
// Source: matplotlib, "Typesetting with XeLaTeX/LuaLaTeX" (pgf).
func savesTeX(symbol, path string) bool {
	return strings.HasSuffix(symbol, "savefig") && strings.HasSuffix(strings.ToLower(path), ".pgf")
}

// opensPostScript reports whether an image runs Ghostscript when it is drawn.
// Source: Pillow, "Image file formats", EPS.
func opensPostScript(symbol, path string) bool {
	lower := strings.ToLower(path)
	return symbol == "PIL.Image.open" && (strings.HasSuffix(lower, ".eps") || strings.HasSuffix(lower, ".ps"))
}

// postScript reports an image in memory that is drawn by Ghostscript: Pillow goes
// by how it begins. Source: PIL.EpsImagePlugin._accept.
func (in *interp) postScript(n python.Node, f analysis.Fact, v val) {
	for i := range v.size() {
		o, ok := v.at(i).(*instance)
		if !ok || o.of != symbol("io.BytesIO") || len(o.args) == 0 {
			continue
		}
		if isPostScript(o.args[0]) {
			f.Capability, f.Evidence = palisade.CapProcess, "PostScript is drawn by another program"
			in.report(n, f)
			return
		}
	}
}

func isPostScript(v val) bool {
	for i := range v.size() {
		s, _, _ := plainText(v.at(i))
		if strings.HasPrefix(s, "%!PS") || strings.HasPrefix(s, "\xc5\xd0\xd3\xc6") {
			return true
		}
	}
	return false
}

// plotBackend is the module that pandas plots with: it is imported by name.
func (in *interp) plotBackend(n python.Node, v val) {
	list, other := v.strings()
	for _, s := range list {
		other = other || s != "matplotlib"
	}
	for i := range v.size() {
		o := v.at(i)
		if p, ok := o.(prefix); ok {
			other = other || p != "matplotlib"
		}
	}
	if !v.open && len(list) == 0 && v.size() > 0 && !hasText(v) {
		return // a number or a choice: no module
	}
	if other {
		in.unresolved(n, "pandas.plotting.backend", "a module is imported by a setting")
	}
}

func hasText(v val) bool {
	for i := range v.size() {
		o := v.at(i)
		switch o.(type) {
		case cNone, cBool, cInt, cFloat, number:
		default:
			return true
		}
	}
	return false
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
