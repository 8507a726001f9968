package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// callSymbol is the call of a library's callable: first what it does, then
// what it gives.
func (in *interp) callSymbol(n python.Node, s symbol, args callArgs) val {
	if class, ok := constructor(s); ok {
		return in.callSymbol(n, class, args.drop())
	}
	e, known := in.lookup(string(s))
	if strings.HasSuffix(string(s), ".detach") {
		return in.object(n, "io.FileIO", nil)
	}
	in.rcParams(n, s, args)
	in.archived(s, args)
	if s == "shutil.unpack_archive" {
		in.unpacks(n, s, args.get(0, "filename"), args)
	}
	if known {
		site := &callSite{args: args, self: args.at(0)}
		if strings.HasPrefix(string(s), "?.") {
			site.self = unknown
		}
		for _, u := range e.uses {
			if isMethodOf(in.table, string(s)) && u.arg >= 0 {
				u.arg++ // a method through its class: the object comes first
				if u.kind == modeUse {
					u.mode++
				}
			}
			in.use(n, s, u, site, "")
		}
	}
	if m, ok := in.table.models[s]; ok {
		return m(in, n, args)
	}
	if keepsPickles[string(s)] {
		if p, ok := carriesPickle(args.at(0)); ok {
			return p
		}
	}
	if f, ok := decoders[string(s)]; ok {
		return mapBytes(args.at(0), f)
	}
	if f, ok := encoders[string(s)]; ok {
		return mapBytes(args.at(0), f)
	}
	if v, ok := in.textFunction(n, s, args); ok {
		return v
	}
	if known {
		switch e.result {
		case "?":
			return unknown
		case "":
		default:
			return in.object(n, symbol(e.result), args.pos)
		}
	}
	if !followed[s] {
		in.escape(args.all())
		in.handed(args)
	}
	if !known {
		in.strayPaths(n, string(s), args)
	}
	if strings.HasPrefix(string(s), "?.") {
		return unknown
	}
	return in.object(n, s, args.pos)
}

// constructor gives the class of Class.__init__ and Class.__new__ of a library.
func constructor(s symbol) (symbol, bool) {
	for _, name := range []string{".__init__", ".__new__", ".__call__"} {
		if class, ok := strings.CutSuffix(string(s), name); ok && class != "builtins.object" && class != "builtins.type" {
			return symbol(class), true
		}
	}
	return "", false
}

// isMethodOf reports whether a symbol is a method of a class of the table.
func isMethodOf(t *table, s string) bool {
	return t.methods[s]
}

func mapBytes(v val, f func(string) (string, bool)) val {
	out := val{}
	for i := range v.size() {
		o := v.at(i)
		s, known, _ := plainText(o)
		if known && len(s) <= maxText {
			if r, ok := f(s); ok {
				out = join(out, one(cBytes(r)))
				continue
			}
		}
		out = join(out, one(anyBytes{}))
	}
	if v.open || out.empty() {
		out = join(out, one(anyBytes{}))
	}
	return out
}

// textFunction is a method of str or bytes through its class: str.join(",", x).
func (in *interp) textFunction(n python.Node, s symbol, args callArgs) (val, bool) {
	for _, class := range []string{"builtins.str.", "builtins.bytes.", "builtins.bytearray."} {
		name, ok := strings.CutPrefix(string(s), class)
		if !ok {
			continue
		}
		switch name {
		case "maketrans":
			return maketrans(args), true
		case "fromhex":
			return fromHex(args.at(0)), true
		}
		return in.callMethod(n, args.at(0), name, args.drop()), true
	}
	for _, class := range []string{"builtins.list.", "builtins.dict.", "builtins.tuple.", "builtins.set.", "builtins.int."} {
		if name, ok := strings.CutPrefix(string(s), class); ok && name != "fromkeys" {
			return in.callMethod(n, args.at(0), name, args.drop()), true
		}
	}
	for _, dunder := range []string{".__getattribute__", ".__getattr__"} {
		if strings.HasSuffix(string(s), dunder) {
			return in.getattr(n, args.at(0), args.at(1)), true
		}
	}
	if owner, ok := strings.CutSuffix(string(s), ".__setattr__"); ok {
		if !strings.HasPrefix(string(s), "builtins.") {
			args = args.prepend(one(symbol(owner))) // of the object itself
		}
		in.setattr(n, args)
		return noneValue, true
	}
	return val{}, false
}

// callMethod calls a method by name on everything that v may be.
func (in *interp) callMethod(n python.Node, v val, name string, args callArgs) val {
	return in.call(n, in.attribute(n, v, name), args)
}

func (in *interp) setattr(n python.Node, args callArgs) {
	names, other := args.at(1).strings()
	for _, name := range names {
		in.setAttribute(n, args.at(0), name, args.at(2), false)
	}
	if !other {
		return
	}
	given := args.at(0)
	for i := range given.size() {
		o := given.at(i)
		switch o := o.(type) {
		case *instance:
			if c, ok := o.of.(*class); ok {
				in.set(c.attrCell("*"), args.at(2), false)
				continue
			}
		}
		in.unresolved(n, "setattr", "an attribute is assigned by a name that is computed")
	}
	if args.at(0).open {
		in.unresolved(n, "setattr", "an attribute is assigned by a name that is computed")
	}
}

// callBound is the call of a method of a constant, a collection or a library's object.
func (in *interp) callBound(n python.Node, b bound, args callArgs) val {
	switch recv := b.recv.(type) {
	case cStr, cBytes, pattern, prefix, anyBytes:
		return in.textMethod(n, recv, b.name, args)
	case *list:
		if !adds[b.name] {
			in.saw(&recv.mark)
		}
		return in.listMethod(n, recv, b.name, args)
	case *dict:
		if !adds[b.name] {
			in.saw(&recv.mark)
		}
		return in.dictMethod(n, recv, b.name, args)
	case namespace:
		return in.namespaceMethod(n, recv, b.name, args)
	case cInt, cBool, number, cFloat:
		return numberMethod(recv, b.name, args)
	case *instance:
		return in.libraryMethod(n, recv, b.name, args)
	}
	in.escape(args.all())
	return unknown
}

// adds are methods of collections that give nothing of what is in them.
var adds = map[string]bool{"append": true, "add": true, "appendleft": true, "insert": true, "extend": true, "update": true, "remove": true, "clear": true}

func numberMethod(recv object, name string, args callArgs) val {
	i, ok := asInt(recv)
	if name == "to_bytes" {
		size, _ := args.get(0, "length").only()
		order, _ := args.get(1, "byteorder").only()
		n, ok2 := asInt(size)
		if !ok || !ok2 || n < 0 || n > 8 || i < 0 {
			return one(anyBytes{})
		}
		out := make([]byte, n)
		for j := range n {
			out[n-1-j] = byte(i >> (8 * j))
		}
		if order == cStr("little") {
			for a, b := 0, len(out)-1; a < b; a, b = a+1, b-1 {
				out[a], out[b] = out[b], out[a]
			}
		}
		return one(cBytes(out))
	}
	return anyNumber
}

// libraryMethod is a method of an object of a library's class.
func (in *interp) libraryMethod(n python.Node, i *instance, name string, args callArgs) val {
	class, ok := i.of.(symbol)
	if !ok {
		return unknown
	}
	if class == annotationsOf {
		if changesAnnotations[name] {
			in.annotates(n, "__annotations__")
		}
		return join(unknown, in.object(n, fieldOf, nil))
	}
	if name == "detach" {
		return in.object(n, "io.FileIO", nil) // what a stream or its buffer stands on
	}
	full := in.dotted(string(class), name)
	e, known := in.lookup(full)
	if known {
		site := &callSite{args: args, self: i.text}
		if class != "pathlib.Path" {
			site.self = one(i)
		}
		for _, u := range e.uses {
			in.use(n, symbol(full), u, site, spelled(calleeOf(n)))
		}
	}
	in.escape(args.all())
	in.handed(args)
	if !known {
		in.strayPaths(n, full, args)
		in.callAdrift(n, args)
	}
	if name == "__init__" {
		in.callSymbol(n, class, args) // the same object, made anew
		return noneValue
	}
	if class == "string.Formatter" {
		return in.formatter(n, name, args)
	}
	if class == "tarfile.TarFile" && (name == "add" || name == "gettarinfo") {
		in.member(args.get(1, "arcname"))
	}
	if class == "tarfile.TarFile" && (name == "extractall" || name == "extract") {
		in.unpacks(n, symbol(full), callArgs{pos: i.args}.at(0), args)
	}
	if isPickled(class) && (name == "decode" || name == "encode" || name == "strip" || name == "hex" || name == "getvalue" || name == "read") {
		return one(i)
	}
	if strings.HasPrefix(string(class), "numpy.") && name == "dump" {
		in.paths(n, analysis.Fact{Capability: palisade.CapWritePath, Symbol: "numpy.ndarray.dump"}, args.at(0), false)
	}
	if isFrame(class) {
		if byName[name] {
			for _, method := range keysOf(args.get(0, "func")) {
				in.callMethod(n, one(i), method, args.drop())
			}
		}
		if name == "query" || name == "eval" {
			in.query(n, full, args.get(0, "expr"), args.scope, true)
		}
		if name == "tolist" || name == "to_list" || name == "item" || name == "unique" || name == "to_dict" || name == "iterrows" || name == "itertuples" {
			return unknown
		}
		if known && e.result == "?" {
			return unknown
		}
		return in.object(nil, "pandas.DataFrame", nil)
	}
	if class == "pathlib.Path" {
		return in.pathMethod(n, i, name, args)
	}
	if class == "asyncio.AbstractEventLoop" && strings.HasPrefix(name, "run_") {
		return args.at(0)
	}
	if known {
		switch e.result {
		case "?", "":
			if e.result == "" && name[0] >= 'A' && name[0] <= 'Z' {
				return in.object(n, symbol(full), nil)
			}
			return unknown
		default:
			return in.object(n, symbol(e.result), nil)
		}
	}
	switch class {
	case "builtins.object", "io.TextIOWrapper", "io.StringIO":
		if name == "read" || name == "readline" || name == "getvalue" {
			return anyText
		}
		if name == "readlines" {
			return one(&list{rest: anyText})
		}
	case "re.Match", "re.Pattern":
		if name == "group" || name == "sub" {
			return anyText
		}
		if name == "match" || name == "search" || name == "fullmatch" {
			return in.object(n, "re.Match", nil)
		}
	case "datetime.datetime", "datetime.date", "datetime.datetime.now", "datetime.date.today", "datetime.datetime.utcnow", "datetime.datetime.today":
		if name == "strftime" || name == "isoformat" {
			return in.stamp(args.at(0))
		}
	}
	return unknown
}

// stamp is a time as text: digits, letters and what the format itself has.
func (in *interp) stamp(format val) val {
	o, ok := format.only()
	s, isStr := o.(cStr)
	if !ok || !isStr || strings.Contains(string(s), "%Z") || strings.Contains(string(s), "%-") {
		return anyText // the name of a time zone is any text
	}
	return one(pattern(strings.ReplaceAll(string(s), "%", "*")))
}

// object is an instance of a library's class, one for each place that makes it.
func (in *interp) object(n python.Node, class symbol, args []val) val {
	key := objectKey{n, class}
	i, ok := in.objects[key]
	if !ok {
		i = &instance{of: class}
		in.objects[key] = i
	}
	i.args = joinAll(i.args, args)
	return one(i)
}

type objectKey struct {
	n     python.Node
	class symbol
}

// libraryProperty is an attribute of a library's object that is data which we follow.
func (in *interp) libraryProperty(n python.Node, i *instance, class, attr string) (val, bool) {
	switch class {
	case "pathlib.Path":
		return in.pathProperty(i, attr)
	case "types.SimpleNamespace", "argparse.Namespace":
		if introspective[attr] {
			return val{}, false
		}
		return join(unknown, in.looseAttribute(attr)), true
	case "pandas.Styler":
		if stylerParts[attr] || stylerTemplates[attr] {
			in.drawnBy(n, attr)
			return unknown, true
		}
	case "tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory":
		if attr == "name" {
			return one(pattern("/tmp/tmp*")), true
		}
	}
	if attr == "style" && isFrame(i.of) {
		return in.object(n, "pandas.Styler", nil), true
	}
	if attr == "str" && isFrame(i.of) || attr == "dt" && isFrame(i.of) {
		return one(i), true
	}
	if attr == "raw" {
		return in.object(n, "io.FileIO", nil), true
	}
	if attr == "loc" || attr == "iloc" || attr == "T" || attr == "values" {
		return one(i), true
	}
	return val{}, false
}
