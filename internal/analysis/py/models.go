package py

import (
	"strings"
	"unicode/utf8"

	"palisade/internal/python"
)

// model gives the value of a call of a library's callable.
type model func(in *interp, n python.Node, a callArgs) val

// allModels are the callables whose result is followed: those that look things
// up, call what they are given, or compute text.
func allModels() map[symbol]model {
	m := map[symbol]model{}
	for _, part := range []map[string]model{builtinModels(), libraryModels(), pathModels()} {
		for names, f := range part {
			for name := range strings.FieldsSeq(names) {
				m[symbol(name)] = f
			}
		}
	}
	return m
}

func builtinModels() map[string]model {
	return map[string]model{
		"builtins.getattr": func(in *interp, n python.Node, a callArgs) val {
			return join(in.getattr(n, a.at(0), a.at(1)), a.at(2))
		},
		"inspect.getattr_static": func(in *interp, n python.Node, a callArgs) val {
			return join(in.getattr(n, a.at(0), a.at(1)), a.at(2))
		},
		"builtins.hasattr": func(in *interp, n python.Node, a callArgs) val {
			return anyBool
		},
		"builtins.setattr": func(in *interp, n python.Node, a callArgs) val {
			in.setattr(n, a)
			return noneValue
		},
		"builtins.delattr": func(in *interp, n python.Node, a callArgs) val { return noneValue },
		"builtins.vars": func(in *interp, n python.Node, a callArgs) val {
			if len(a.pos) == 0 {
				return one(namespace{a.scope.orUnit(in)})
			}
			out := val{}
			if a.pos[0].open {
				out = one(namespace{opaque{}})
			}
			for i := range a.pos[0].size() {
				o := a.pos[0].at(i)
				out = join(out, one(namespace{o}))
			}
			return out
		},
		"builtins.locals": func(in *interp, n python.Node, a callArgs) val { return one(namespace{a.scope.orUnit(in)}) },
		"builtins.globals": func(in *interp, n python.Node, a callArgs) val {
			return one(namespace{in.unit.scope})
		},
		"builtins.dir": func(in *interp, n python.Node, a callArgs) val {
			return one(&list{rest: anyText})
		},
		"builtins.type": func(in *interp, n python.Node, a callArgs) val {
			if len(a.pos) == 1 {
				out := val{open: a.pos[0].open}
				for i := range a.pos[0].size() {
					o := a.pos[0].at(i)
					out = join(out, one(classOf(o)))
				}
				return out
			}
			return in.dynamicClass(n, a)
		},
		"builtins.super": func(in *interp, n python.Node, a callArgs) val {
			if c, ok := a.at(0).only(); ok {
				if c, ok := c.(*class); ok {
					return in.superOf(c, c.self())
				}
			}
			return unknown
		},
		"builtins.map itertools.starmap": func(in *interp, n python.Node, a callArgs) val {
			return in.mapCall(n, a)
		},
		"builtins.filter itertools.filterfalse itertools.takewhile itertools.dropwhile": func(in *interp, n python.Node, a callArgs) val {
			each := in.each(n, a.at(1))
			in.call(n, a.at(0), callArgs{pos: []val{each}})
			return one(&list{kind: anIterator, rest: each})
		},
		"builtins.zip itertools.zip_longest": func(in *interp, n python.Node, a callArgs) val { return in.zip(n, a) },
		"builtins.enumerate": func(in *interp, n python.Node, a callArgs) val {
			elems, exact := in.elements(n, a.at(0))
			if !exact {
				return one(&list{kind: anIterator, rest: one(newList(aTuple, anyNumber, in.each(n, a.at(0))))})
			}
			start, _ := asInt(first(a.get(1, "start")))
			out := newList(anIterator)
			for i, e := range elems {
				out.elems = append(out.elems, one(newList(aTuple, one(cInt(int64(i)+start)), e)))
			}
			return one(out)
		},
		"builtins.reversed": func(in *interp, n python.Node, a callArgs) val {
			elems, exact := in.elements(n, a.at(0))
			if !exact {
				return one(&list{kind: anIterator, rest: in.each(n, a.at(0))})
			}
			out := newList(anIterator)
			for i := len(elems) - 1; i >= 0; i-- {
				out.elems = append(out.elems, elems[i])
			}
			return one(out)
		},
		"builtins.sorted": func(in *interp, n python.Node, a callArgs) val {
			each := in.each(n, a.at(0))
			if key := a.named("key"); !key.empty() {
				in.call(n, key, callArgs{pos: []val{each}})
			}
			return one(&list{rest: each})
		},
		"builtins.min builtins.max": func(in *interp, n python.Node, a callArgs) val {
			out := a.all()
			if len(a.pos) == 1 {
				out = in.each(n, a.pos[0])
			}
			if key := a.named("key"); !key.empty() {
				in.call(n, key, callArgs{pos: []val{out}})
			}
			return join(out, a.named("default"))
		},
		"builtins.list builtins.tuple builtins.set builtins.frozenset builtins.iter collections.deque": func(in *interp, n python.Node, a callArgs) val {
			if len(a.pos) == 2 && n != nil { // iter(callable, sentinel)
				return one(&list{kind: anIterator, rest: in.call(n, a.pos[0], callArgs{})})
			}
			if len(a.pos) == 0 {
				return one(newList(aList))
			}
			if elems, exact := in.elements(n, a.pos[0]); exact {
				return one(newList(aList, elems[:len(elems):len(elems)]...))
			}
			return one(&list{rest: in.each(n, a.pos[0])})
		},
		"builtins.next": func(in *interp, n python.Node, a callArgs) val {
			return orUnknown(join(in.each(n, a.at(0)), a.at(1)))
		},
		"builtins.dict collections.OrderedDict collections.ChainMap": func(in *interp, n python.Node, a callArgs) val {
			d := newDict()
			for _, v := range a.pos {
				in.merge(d, v, true)
			}
			for k, v := range ordered(a.kw) {
				d.put(cStr(k), v)
			}
			if a.open {
				d.blur(join(a.rest, unknown))
			}
			return one(d)
		},
		"collections.defaultdict": func(in *interp, n python.Node, a callArgs) val {
			d := newDict()
			if len(a.pos) > 1 {
				in.merge(d, a.pos[1], true)
			}
			if len(a.pos) > 0 {
				d.blur(in.call(n, a.pos[0], callArgs{}))
			}
			return one(d)
		},
		"builtins.repr builtins.ascii": func(in *interp, n python.Node, a callArgs) val {
			return in.formatValue(n, a.at(0), val{}, 'r')
		},
		"builtins.str builtins.format": func(in *interp, n python.Node, a callArgs) val {
			if len(a.pos) == 0 {
				return text("")
			}
			if b, ok := a.pos[0].only(); ok {
				if s, isBytes := b.(cBytes); isBytes && len(a.pos) > 1 {
					return decodeBytes(string(s), a.pos[1])
				}
			}
			return in.formatValue(n, a.pos[0], a.at(1), -1)
		},
		"builtins.bytes": func(in *interp, n python.Node, a callArgs) val { return in.makeBytes(n, a) },
		"builtins.bytearray": func(in *interp, n python.Node, a callArgs) val {
			return join(in.makeBytes(n, a), one(anyBytes{})) // it may be changed in place
		},
		"builtins.chr": func(in *interp, n python.Node, a callArgs) val {
			return eachText(a.at(0), func(o object) val {
				if i, ok := asInt(o); ok && i >= 0 && i <= utf8.MaxRune {
					return text(string(rune(i)))
				}
				return anyText
			})
		},
		"builtins.ord": func(in *interp, n python.Node, a callArgs) val {
			return eachText(a.at(0), func(o object) val {
				s, known, isBytes := plainText(o)
				if known && isBytes && len(s) == 1 {
					return one(cInt(s[0]))
				}
				if r, size := utf8.DecodeRuneInString(s); known && size == len(s) && size > 0 {
					return one(cInt(r))
				}
				return anyNumber
			})
		},
		"builtins.int": func(in *interp, n python.Node, a callArgs) val { return toInt(a) },
		"builtins.float builtins.hash builtins.id": func(in *interp, n python.Node, a callArgs) val {
			return anyNumber
		},
		"builtins.abs builtins.round builtins.pow math.floor math.ceil math.trunc": numeric,
		"builtins.divmod": func(in *interp, n python.Node, a callArgs) val {
			return one(newList(aTuple, numeric(in, n, a), numeric(in, n, a)))
		},
		"builtins.bool builtins.isinstance builtins.issubclass builtins.callable builtins.any builtins.all": func(in *interp, n python.Node, a callArgs) val {
			for _, v := range a.pos {
				in.each(n, v)
			}
			return anyBool
		},
		"builtins.hex builtins.oct builtins.bin": func(in *interp, n python.Node, a callArgs) val {
			return one(pattern("*"))
		},
		"builtins.len": func(in *interp, n python.Node, a callArgs) val {
			if elems, ok := in.elements(n, a.at(0)); ok {
				return one(cInt(len(elems)))
			}
			return anyNumber
		},
		"builtins.sum": func(in *interp, n python.Node, a callArgs) val {
			elems, exact := in.elements(n, a.at(0))
			start := a.get(1, "start")
			if start.empty() {
				start = one(cInt(0))
			}
			if !exact || len(elems) > 256 {
				return join(join(in.each(n, a.at(0)), start), anyNumber)
			}
			for _, e := range elems {
				start = in.binary(n, python.Add, start, e)
			}
			return start
		},
		"builtins.range": func(in *interp, n python.Node, a callArgs) val {
			v := rangeList(a)
			if l, ok := first(v).(*list); ok {
				in.steps += len(l.elems) / 4
			}
			return v
		},
		"builtins.slice": func(in *interp, n python.Node, a callArgs) val { return one(anySlice{}) },
		"builtins.print": func(in *interp, n python.Node, a callArgs) val {
			for _, v := range a.pos {
				in.printed(n, v)
			}
			return noneValue
		},
		"builtins.input": func(in *interp, n python.Node, a callArgs) val { return anyText },
		"builtins.staticmethod": func(in *interp, n python.Node, a callArgs) val {
			return in.madeAt(n, "staticmethod", &wrapper{kind: "staticmethod", fn: a.at(0)})
		},
		"builtins.classmethod": func(in *interp, n python.Node, a callArgs) val {
			return in.madeAt(n, "classmethod", &wrapper{kind: "classmethod", fn: a.at(0)})
		},
		"builtins.property functools.cached_property": func(in *interp, n python.Node, a callArgs) val {
			return in.madeAt(n, "property", &wrapper{kind: "property", fn: a.get(0, "fget")})
		},
		"builtins.object.__new__": func(in *interp, n python.Node, a callArgs) val {
			if c, ok := first(a.at(0)).(*class); ok {
				return one(c.self())
			}
			return unknown
		},
		"builtins.type.__call__": func(in *interp, n python.Node, a callArgs) val {
			return in.call(n, a.at(0), a.drop())
		},
		"builtins.__import__": func(in *interp, n python.Node, a callArgs) val {
			from := a.get(3, "fromlist")
			top := from.empty() || from.has(cNone{})
			if l, ok := first(from).(*list); ok && l.exact && len(l.elems) == 0 {
				top = true
			}
			return in.dynamicImport(n, "builtins.__import__", a.get(0, "name"), top)
		},
	}
}
