package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// Objects of the standard library keep the files that they work on in attributes,
// and have private methods that open, write and delete what they are told. What
// is set or called there is no longer what the object was made with.

// keepsFiles are modules whose objects do. "pathlib" is not among them: reading
// what a path is made of is harmless, see pathAttribute.
var keepsFiles = nameSet("fileinput tempfile zipfile tarfile dbm mailbox shelve filecmp gzip bz2 lzma netrc trace pstats mimetypes zoneinfo wave")

// ofFiles reports whether a private attribute is one of such an object.
func ofFiles(s symbol, attr string) bool {
	root, _, _ := strings.Cut(string(s), ".")
	return keepsFiles[root] && strings.HasPrefix(attr, "_") && !strings.HasPrefix(attr, "__")
}

// pathPrivates are what a pathlib.Path is made of, in CPython 3.10 to 3.14, and
// the methods by which it tells what it is. Source: pathlib.
var pathPrivates = nameSet(`_str _drv _root _parts _cparts _raw_path _raw_paths _tail _tail_cached _hash _flavour _accessor _segments
	_from_parts _from_parsed_parts _format_parsed_parts _parse_args _parse_path _load_parts`)

// pathNames are what a class that inherits from Path may tell instead.
var pathNames = nameSet("__str__ __fspath__ __bytes__ __getattr__ __getattribute__ __iter__")

// pathAttribute reports what makes a path of pathlib's another one than it was
// read as: its parts are assigned, or a class defines them.
func (in *interp) pathAttribute(n python.Node, base val, attr string, v val) {
	if !pathPrivates[attr] && !pathNames[attr] {
		return
	}
	if s, ok := first(v).(symbol); ok && strings.HasPrefix(string(s), "pathlib.") {
		return // _flavour = type(Path())._flavour
	}
	path := false
	for i := range base.size() {
		o := base.at(i)
		if of, ok := o.(*instance); ok {
			o = of.of
		}
		switch o := o.(type) {
		case symbol:
			path = path || isPath(o)
		case *class:
			_, foreign, _ := o.lineage()
			for _, f := range foreign {
				s, ok := f.(symbol)
				path = path || ok && isPath(s)
			}
		}
	}
	if path {
		in.introspect(n, "pathlib.Path."+attr, analysis.KindPrivate, "what a path is, is told while the program runs")
	}
}

func isPath(s symbol) bool {
	return strings.HasPrefix(string(s), "pathlib.") && !strings.Contains(string(s), ".Pure")
}

// fileAttribute is an attribute of a library's object that names a file which it
// reads, compares or deletes later.
func (in *interp) fileAttribute(n python.Node, s symbol, attr string, v val) {
	f := analysis.Fact{Symbol: string(s) + "." + attr, Evidence: "assigned: the object works on it later"}
	switch {
	case s == "tempfile.TemporaryDirectory" && attr == "name":
		f.Capability = palisade.CapDeletePath
	case s == "filecmp.dircmp" && (attr == "left" || attr == "right"), strings.HasPrefix(string(s), "PIL.") && attr == "filename":
		f.Capability = palisade.CapReadPath
	default:
		return
	}
	in.paths(n, f, v, false)
}

// testsByName reports unittest.main where it looks its tests up by names that its
// arguments hold: without a module it imports them, and in one it calls them.
func (in *interp) testsByName(n python.Node, s symbol, args callArgs) {
	byName := args.get(0, "module").has(cNone{})
	argv := args.get(2, "argv")
	for i := range argv.size() {
		l, ok := argv.at(i).(*list)
		if !ok {
			continue
		}
		for _, e := range l.elems[min(1, len(l.elems)):] {
			words, _ := e.strings()
			for _, w := range words {
				byName = byName || !strings.HasPrefix(w, "-")
			}
		}
	}
	if byName {
		in.unresolved(n, string(s), "tests are looked up by name")
	}
}
