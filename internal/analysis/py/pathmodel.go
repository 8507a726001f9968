package py

import (
	"path"
	"strings"

	"palisade/internal/python"
)

// pathArgument is a path-like as text.
func pathArgument(v val) val {
	out := val{}
	if v.open {
		out = anyText
	}
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case *instance:
			if o.of == symbol("pathlib.Path") {
				out = join(out, o.text)
				continue
			}
			out = join(out, anyText)
		case cStr, pattern, prefix:
			out = join(out, one(o))
		case cBytes:
			out = join(out, text(string(o)))
		default:
			out = join(out, anyText)
		}
	}
	return out
}

func pathText(i *instance) val {
	if i.text.empty() {
		return anyText
	}
	return i.text
}

// joinPath is os.path.join on everything that both may be.
func joinPath(a, b val) val {
	a, b = pathArgument(a), pathArgument(b)
	if a.size()*b.size() > maxPairs {
		return anyText
	}
	var out val
	for i := range a.size() {
		x := a.at(i)
		for i := range b.size() {
			y := b.at(i)
			out = join(out, joinPath1(x, y))
		}
	}
	if out.empty() {
		return anyText
	}
	return out
}

func joinPath1(x, y object) val {
	rest, _, _ := asText(y)
	if p, ok := y.(prefix); ok {
		rest = string(p)
		if rest == "" {
			return anyText // it may be absolute
		}
	}
	if strings.HasPrefix(rest, "/") {
		return one(y)
	}
	if p, ok := x.(prefix); ok {
		return one(p)
	}
	base, _, _ := asText(x)
	if base != "" && !strings.HasSuffix(base, "/") {
		base += "/"
	}
	return concat(sameKind(x, base), y)
}

// sameKind gives a text the kind that another has.
func sameKind(o object, s string) object {
	if _, ok := o.(pattern); ok {
		return pattern(s)
	}
	return cStr(s)
}

// mapText applies f to each text that v may be; one that is not known stays so.
func mapText(v val, f func(string) string) val {
	v = pathArgument(v)
	var out val
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case cStr:
			out = join(out, text(f(string(o))))
		case pattern:
			out = join(out, one(pattern(f(string(o)))))
		default:
			out = join(out, anyText)
		}
	}
	return out
}

func absolute(p string) string {
	if strings.HasPrefix(p, "/") {
		return path.Clean(p)
	}
	return path.Clean("/work/" + p)
}

func dirname(p string) string {
	head := p[:strings.LastIndexByte(p, '/')+1]
	if d := strings.TrimRight(head, "/"); d != "" {
		return d
	}
	return head
}

// extension is os.path.splitext's: dots at the front of a name begin none.
func extension(p string) string {
	name := strings.TrimLeft(p[strings.LastIndexByte(p, '/')+1:], ".")
	return path.Ext(name)
}

// suffix is pathlib's: a dot at the end of a name begins none either.
func suffix(p string) string {
	if ext := extension(p); ext != "." {
		return ext
	}
	return ""
}

func pathModels() map[string]model {
	fold := func(f func(string) string) model {
		return func(in *interp, n python.Node, a callArgs) val { return mapText(a.at(0), f) }
	}
	return map[string]model{
		"os.path.join": func(in *interp, n python.Node, a callArgs) val {
			if len(a.pos) == 0 {
				return anyText
			}
			out := pathArgument(a.pos[0])
			for _, p := range a.pos[1:] {
				out = joinPath(out, p)
			}
			if a.open {
				out = joinPath(out, unknown)
			}
			return out
		},
		"os.path.abspath os.path.realpath": fold(absolute),
		"os.path.normpath":                 fold(func(s string) string { return path.Clean(s) }),
		"os.path.normcase":                 fold(func(s string) string { return s }),
		"os.path.dirname":                  fold(dirname),
		"os.path.basename":                 fold(func(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }),
		"os.path.expanduser":               fold(func(s string) string { return s }),
		"os.path.expandvars": func(in *interp, n python.Node, a callArgs) val {
			if s, ok := first(a.at(0)).(cStr); ok && !strings.Contains(string(s), "$") {
				return text(string(s))
			}
			return anyText
		},
		"os.path.splitext": func(in *interp, n python.Node, a callArgs) val {
			if s, ok := first(a.at(0)).(cStr); ok {
				ext := extension(string(s))
				return one(newList(aTuple, text(strings.TrimSuffix(string(s), ext)), text(ext)))
			}
			return one(newList(aTuple, anyText, anyText))
		},
		"os.path.split": func(in *interp, n python.Node, a callArgs) val {
			base := func(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
			return one(newList(aTuple, mapText(a.at(0), dirname), mapText(a.at(0), base)))
		},
		"os.path.exists os.path.isfile os.path.isdir os.path.lexists os.path.islink": func(in *interp, n python.Node, a callArgs) val {
			return anyBool
		},
		"os.getcwd": func(in *interp, n python.Node, a callArgs) val { return text("/work") },
		"os.listdir": func(in *interp, n python.Node, a callArgs) val {
			return one(&list{rest: one(entry)})
		},
		"os.walk": func(in *interp, n python.Node, a callArgs) val {
			dir := a.get(0, "top")
			return one(&list{rest: one(newList(aTuple, below(dir), one(&list{rest: one(entry)}), one(&list{rest: one(entry)})))})
		},
		"glob.glob glob.iglob": func(in *interp, n python.Node, a callArgs) val {
			return one(&list{rest: mapText(a.get(0, "pathname"), func(s string) string { return s }).asPattern()})
		},
		"tempfile.mkdtemp tempfile.mktemp tempfile.gettempdir": func(in *interp, n python.Node, a callArgs) val {
			if !a.named("dir").empty() {
				return anyText
			}
			if spelledAs(n, "gettempdir") {
				return text("/tmp")
			}
			return one(pattern("/tmp/tmp*"))
		},
		"tempfile.mkstemp": func(in *interp, n python.Node, a callArgs) val {
			return one(newList(aTuple, one(cInt(1)), one(pattern("/tmp/tmp*"))))
		},
		"pathlib.Path pathlib.PosixPath pathlib.PurePath pathlib.PurePosixPath": func(in *interp, n python.Node, a callArgs) val {
			t := text(".")
			for i, p := range a.pos {
				if i == 0 {
					t = pathArgument(p)
				} else {
					t = joinPath(t, p)
				}
			}
			if a.open {
				t = joinPath(t, unknown)
			}
			return in.pathObject(t)
		},
		"pathlib.Path.cwd": func(in *interp, n python.Node, a callArgs) val {
			return in.pathObject(text("/work"))
		},
		"pathlib.Path.home": func(in *interp, n python.Node, a callArgs) val {
			return in.pathObject(text("~"))
		},
	}
}

// entry is the name of a file in a folder: it has no slash and is not "..".
var entry = pattern("*")

// below is a folder or one beneath it.
func below(dir val) val {
	return join(pathArgument(dir), joinPath(dir, one(entry)))
}

// asPattern makes known texts patterns: what they match is beneath them.
func (v val) asPattern() val {
	out := val{open: v.open}
	for i := range v.size() {
		o := v.at(i)
		if s, ok := o.(cStr); ok {
			o = pattern(s)
		}
		out = join(out, one(o))
	}
	return out
}

// pathObject is a pathlib.Path; equal paths are one object.
func (in *interp) pathObject(t val) val {
	if o, ok := t.only(); ok {
		i, ok := in.pathObjects[o]
		if !ok {
			i = &instance{of: symbolPath, text: t}
			in.pathObjects[o] = i
		}
		return one(i)
	}
	for _, i := range in.pathChoices {
		if covers(i.text, t) && covers(t, i.text) {
			return one(i)
		}
	}
	if len(in.pathChoices) >= maxPaths {
		return in.pathObject(anyText)
	}
	i := &instance{of: symbolPath, text: t}
	in.pathChoices = append(in.pathChoices, i)
	return one(i)
}

// maxPaths bounds the paths of several texts that are kept apart.
const maxPaths = 64

// pathProperty is an attribute of a pathlib.Path.
func (in *interp) pathProperty(i *instance, attr string) (val, bool) {
	switch attr {
	case "parent":
		return in.pathObject(mapText(i.text, func(s string) string {
			if d := dirname(s); d != "" {
				return d
			}
			return "."
		})), true
	case "parents":
		return one(&list{rest: in.pathObject(mapText(i.text, dirname))}), true
	case "name":
		return mapText(i.text, func(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }), true
	case "stem":
		return mapText(i.text, func(s string) string {
			s = s[strings.LastIndexByte(s, '/')+1:]
			return strings.TrimSuffix(s, suffix(s))
		}), true
	case "suffix":
		return mapText(i.text, suffix), true
	case "parts", "anchor", "root", "drive", "suffixes":
		return one(&list{kind: aTuple, rest: anyText}), true
	}
	return val{}, false
}

// pathMethod is what a method of a pathlib.Path gives.
func (in *interp) pathMethod(n python.Node, i *instance, name string, args callArgs) val {
	switch name {
	case "joinpath", "__truediv__", "relative_to":
		if name == "relative_to" {
			return in.pathObject(anyText)
		}
		t := i.text
		for _, p := range args.pos {
			t = joinPath(t, p)
		}
		return in.pathObject(t)
	case "resolve", "absolute":
		return in.pathObject(mapText(i.text, absolute))
	case "expanduser":
		return one(i)
	case "as_posix", "__str__", "__fspath__", "as_uri":
		return pathText(i)
	case "with_suffix":
		to, ok := first(args.at(0)).(cStr)
		if !ok {
			return in.pathObject(joinPath(mapText(i.text, dirname), one(entry)))
		}
		return in.pathObject(mapText(i.text, func(s string) string { return strings.TrimSuffix(s, suffix(s)) + string(to) }))
	case "with_name", "with_stem":
		return in.pathObject(joinPath(mapText(i.text, dirname), args.at(0)))
	case "iterdir", "glob", "rglob":
		return one(&list{kind: anIterator, rest: in.pathObject(joinPath(i.text, one(entry)))})
	case "read_text":
		return anyText
	case "read_bytes":
		return one(anyBytes{})
	case "open":
		return in.object(n, "io.TextIOWrapper", nil)
	case "exists", "is_file", "is_dir":
		return anyBool
	}
	return unknown
}
