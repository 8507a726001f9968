package py

import (
	"slices"
	"strconv"
	"strings"

	"palisade/internal/python"
)

func parseInt(s string, base int64) (int64, bool) {
	if base < 0 || base > 36 || base == 1 {
		return 0, false
	}
	s = strings.ReplaceAll(s, "_", "")
	if base == 16 {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	}
	if base == 2 {
		s = strings.TrimPrefix(s, "0b")
	}
	i, err := strconv.ParseInt(s, int(base), 64)
	return i, err == nil
}

// passthrough are decorators and wrappers that give back what calls what they were given.
const passthrough = `functools.lru_cache functools.cache functools.singledispatch
	functools.total_ordering contextlib.contextmanager contextlib.asynccontextmanager contextlib.closing contextlib.suppress
	dataclasses.dataclass abc.abstractmethod typing.cast typing.overload typing.final typing.no_type_check typing.runtime_checkable
	enum.unique copy.copy copy.deepcopy asyncio.run asyncio.create_task asyncio.ensure_future asyncio.wait_for asyncio.shield
	atexit.register numba.njit numba.jit types.coroutine reprlib.recursive_repr functools._lru_cache_wrapper
	types.MappingProxyType contextlib.nullcontext typing.NewType asyncio.gather`

func libraryModels() map[string]model {
	return map[string]model{
		"dataclasses.make_dataclass": func(in *interp, n python.Node, a callArgs) val {
			in.fieldTexts(n, a.get(1, "fields"))
			return in.object(n, "dataclasses.make_dataclass", a.pos)
		},
		"builtins.dict.fromkeys": func(in *interp, n python.Node, a callArgs) val {
			d := newDict()
			v := a.at(1)
			if v.empty() {
				v = noneValue
			}
			keys, exact := in.elements(n, a.at(0))
			for _, key := range keys {
				d.store(key, v, false)
			}
			if !exact {
				d.store(in.each(n, a.at(0)), v, false)
				d.blur(v)
			}
			return in.place(n, one(d))
		},
		"functools.wraps": func(in *interp, n python.Node, a callArgs) val {
			in.copied(n, a.get(0, "wrapped"), a, 1)
			return one(identity{})
		},
		"functools.update_wrapper": func(in *interp, n python.Node, a callArgs) val {
			in.copied(n, a.get(1, "wrapped"), a, 2)
			return join(a.get(0, "wrapper"), a.get(1, "wrapped"))
		},
		passthrough: func(in *interp, n python.Node, a callArgs) val {
			out := val{}
			for i, v := range a.pos {
				if i == 0 || !isType(v) {
					out = join(out, v)
				}
			}
			if out.empty() {
				return one(identity{}) // a decorator with arguments
			}
			for i := range out.size() {
				o := out.at(i)
				switch f := o.(type) {
				case *function:
					if spelledAs(n, "register") {
						f.escaped = true
					}
				}
			}
			return out
		},
		"importlib.import_module": func(in *interp, n python.Node, a callArgs) val {
			name := a.get(0, "name")
			if s, ok := first(name).(cStr); ok && strings.HasPrefix(string(s), ".") {
				if p, ok := first(a.get(1, "package")).(cStr); ok {
					name = text(string(p) + string(s))
				}
			}
			return in.dynamicImport(n, "importlib.import_module", name, false)
		},
		"sympy.external.import_module sympy.external.importtools.import_module pandas.compat._optional.import_optional_dependency": func(in *interp, n python.Node, a callArgs) val {
			return in.dynamicImport(n, "import_module", a.at(0), false)
		},
		"importlib.__import__": func(in *interp, n python.Node, a callArgs) val {
			return in.dynamicImport(n, "importlib.__import__", a.get(0, "name"), true)
		},
		"pydoc.locate pkgutil.resolve_name": func(in *interp, n python.Node, a callArgs) val {
			name := a.at(0)
			if s, ok := first(name).(cStr); ok && name.size() == 1 {
				mod, attr, _ := strings.Cut(strings.ReplaceAll(string(s), ":", "."), ".")
				v := in.importName(n, mod, "located by name")
				if attr != "" {
					return in.getattr(n, v, text(attr))
				}
				return v
			}
			return in.dynamicImport(n, "pkgutil.resolve_name", name, false)
		},
		"pickle.load pickle.loads": func(in *interp, n python.Node, a callArgs) val {
			v, _ := in.unpickle(n, "pickle.loads", a.at(0))
			return v
		},
		"marshal.loads": func(in *interp, n python.Node, a callArgs) val {
			v, _ := in.unpickle(n, "marshal.loads", a.at(0))
			return v
		},
		"importlib.reload copy.replace typing.assert_type": func(in *interp, n python.Node, a callArgs) val { return a.at(0) },
		"functools.reduce": func(in *interp, n python.Node, a callArgs) val {
			elems, exact := in.elements(n, a.at(1))
			acc := a.at(2)
			if !exact || len(elems) > maxUnroll {
				each := in.each(n, a.at(1))
				out := join(join(acc, each), in.call(n, a.at(0), callArgs{pos: []val{join(acc, each), each}}))
				return out
			}
			for _, e := range elems {
				if acc.empty() {
					acc = e
					continue
				}
				acc = in.call(n, a.at(0), callArgs{pos: []val{acc, e}, scope: a.scope})
			}
			return acc
		},
		"functools.partial functools.partialmethod": func(in *interp, n python.Node, a callArgs) val {
			if len(a.pos) == 0 {
				return unknown
			}
			return in.madeAt(n, "partial", &partial{fn: a.pos[0], args: callArgs{pos: slices.Clone(a.pos[1:]), kw: a.kw, rest: a.rest, open: a.open}})
		},
		"operator.attrgetter": func(in *interp, n python.Node, a callArgs) val {
			return in.madeAt(n, "attrgetter", &getter{kind: "attrgetter", keys: slices.Clone(a.pos)})
		},
		"operator.itemgetter": func(in *interp, n python.Node, a callArgs) val {
			return in.madeAt(n, "itemgetter", &getter{kind: "itemgetter", keys: slices.Clone(a.pos)})
		},
		"operator.methodcaller": func(in *interp, n python.Node, a callArgs) val {
			return in.madeAt(n, "methodcaller", &getter{kind: "methodcaller", keys: a.pos[:min(1, len(a.pos))], args: a.drop()})
		},
		"operator.call builtins.apply": func(in *interp, n python.Node, a callArgs) val { return in.call(n, a.at(0), a.drop()) },
		"operator.getitem operator.__getitem__": func(in *interp, n python.Node, a callArgs) val {
			return in.item(n, a.at(0), a.at(1))
		},
		"operator.add operator.concat operator.iadd operator.__add__": func(in *interp, n python.Node, a callArgs) val {
			return in.binary(n, python.Add, a.at(0), a.at(1))
		},
		"operator.xor": func(in *interp, n python.Node, a callArgs) val { return in.binary(n, python.BitXor, a.at(0), a.at(1)) },
		"operator.sub": func(in *interp, n python.Node, a callArgs) val { return in.binary(n, python.Sub, a.at(0), a.at(1)) },
		"operator.mod": func(in *interp, n python.Node, a callArgs) val { return in.binary(n, python.Mod, a.at(0), a.at(1)) },
		"operator.mul": func(in *interp, n python.Node, a callArgs) val { return in.binary(n, python.Mult, a.at(0), a.at(1)) },
		"itertools.chain itertools.chain.from_iterable": func(in *interp, n python.Node, a callArgs) val {
			out := newList(anIterator)
			for _, v := range a.pos {
				elems, exact := in.elements(n, v)
				if !exact {
					out.blur(in.each(n, v))
					continue
				}
				if spelledAs(n, "from_iterable") {
					for _, e := range elems {
						out.blur(in.each(n, e))
					}
					continue
				}
				if out.exact {
					out.elems = append(out.elems, elems...)
				} else {
					out.blur(in.each(n, v))
				}
			}
			return one(out)
		},
		"itertools.accumulate itertools.islice itertools.cycle itertools.repeat itertools.compress": func(in *interp, n python.Node, a callArgs) val {
			each := in.each(n, a.at(0))
			if spelledAs(n, "repeat") {
				each = a.at(0)
			}
			if spelledAs(n, "accumulate") && len(a.pos) > 1 {
				each = join(each, in.call(n, a.pos[1], callArgs{pos: []val{each, each}}))
			}
			return one(&list{kind: anIterator, rest: each})
		},
		"itertools.product itertools.permutations itertools.combinations": func(in *interp, n python.Node, a callArgs) val {
			each := val{}
			for _, v := range a.pos {
				each = join(each, in.each(n, v))
			}
			return one(&list{kind: anIterator, rest: one(&list{kind: aTuple, rest: each})})
		},
		"codecs.decode codecs.encode": func(in *interp, n python.Node, a callArgs) val {
			out := val{}
			enc, ok := first(a.get(1, "encoding")).(cStr)
			if !ok && len(a.pos) < 2 {
				enc = "utf-8"
			}
			given := a.at(0)
			for i := range given.size() {
				o := given.at(i)
				if r, ok := codec(o, string(enc)); ok {
					out = join(out, one(r))
				} else {
					out = join(out, anyText)
				}
			}
			if out.empty() {
				return anyText
			}
			return out
		},
		"types.SimpleNamespace argparse.Namespace": func(in *interp, n python.Node, a callArgs) val {
			for k, v := range ordered(a.kw) {
				in.set(in.looseCell(k), v, false)
			}
			return in.object(n, "types.SimpleNamespace", nil)
		},
		"collections.namedtuple typing.NamedTuple enum.Enum": func(in *interp, n python.Node, a callArgs) val {
			made := in.dynamicClass(n, callArgs{pos: []val{a.at(0)}})
			if c, ok := first(made).(*class); ok && len(c.fields) == 0 {
				c.fields = fieldNames(in, n, a.get(1, "field_names"))
			}
			return made
		},
		"weakref.ref weakref.proxy": func(in *interp, n python.Node, a callArgs) val { return a.at(0) },
		"concurrent.futures.ThreadPoolExecutor.map concurrent.futures.ThreadPoolExecutor.submit": func(in *interp, n python.Node, a callArgs) val {
			return in.mapCall(n, a.drop())
		},
		"threading.Thread threading.Timer multiprocessing.Process": func(in *interp, n python.Node, a callArgs) val {
			target := a.named("target")
			args := callArgs{scope: a.scope}
			if elems, ok := in.elements(n, a.named("args")); ok {
				args.pos = elems
			} else {
				args.open = !a.named("args").empty()
			}
			if target.empty() && len(a.pos) > 1 {
				target = a.pos[1]
			}
			in.call(n, target, args)
			return unknown
		},
		"urllib.parse.unquote urllib.parse.unquote_plus": func(in *interp, n python.Node, a callArgs) val {
			if s, ok := first(a.at(0)).(cStr); ok {
				if r, ok := unquote(string(s)); ok {
					return text(r)
				}
			}
			return anyText
		},
		"json.dumps":                        func(in *interp, n python.Node, a callArgs) val { return anyText },
		"os.fspath os.fsdecode os.fsencode": func(in *interp, n python.Node, a callArgs) val { return pathArgument(a.at(0)) },
		"time.strftime":                     func(in *interp, n python.Node, a callArgs) val { return in.stamp(a.at(0)) },
		"uuid.uuid4 uuid.uuid1":             func(in *interp, n python.Node, a callArgs) val { return anyNumber },
		"time.time random.random random.randint random.randrange math.sqrt": func(in *interp, n python.Node, a callArgs) val {
			return anyNumber
		},
		"random.choice secrets.choice": func(in *interp, n python.Node, a callArgs) val { return in.each(n, a.at(0)) },
	}
}

// identity is a decorator that gives back what it is given.
type identity struct{}

func isType(v val) bool {
	switch first(v).(type) {
	case symbol, *class, cStr, cInt, cNone, cBool:
		return true
	}
	return false
}

// spelledAs reports whether a call's function is written with this last name.
func spelledAs(n python.Node, last string) bool {
	s := spelled(calleeOf(n))
	return s == last || strings.HasSuffix(s, "."+last)
}

func unquote(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return "", false
			}
			b.WriteByte(byte(n))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}
