package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign gives a variable a value.
func (in *interp) assign(sc *scope, p place, name string, v value) {
	in.step(1)
	name = sc.target(name)
	if in.integers[name] {
		if n, ok := in.evaluated(sc, p, v, 0); ok {
			v = text(itoa(int(n)))
		}
	}
	in.poison(sc, p, name, v)
	if old, ok := sc.lookup(name); ok && in.fixed[name] {
		v = join(old.value, v)
	}
	if len(in.traps) > 0 {
		in.ever[name] = join(in.ever[name], v)
	}
	sc.vars[name] = variable{value: v}
}

// assignList gives a variable the elements of an array.
func (in *interp) assignList(sc *scope, p place, name string, v variable) {
	in.step(1)
	in.poison(sc, p, sc.target(name), v.any())
	sc.set(name, v)
}

// assignment interprets name=value in all its forms.
func (in *interp) assignment(sc *scope, a *syntax.Assign) {
	name := a.Name.Value
	if a.Array != nil {
		in.assignArray(sc, a, name)
		return
	}
	if a.Naked {
		return
	}
	v := in.text(sc, a.Value)
	if a.Index != nil {
		in.assignElement(sc, name, a.Index, v)
		return
	}
	if a.Append {
		old := in.quiet(sc, name)
		if old.array {
			sc.set(name, old.put("0", concat(old.element("0"), v)))
			return
		}
		v = concat(old.value, v)
	}
	in.assign(sc, in.at(a), name, v)
}

// quiet is a variable, without the fact that it may come from outside.
func (in *interp) quiet(sc *scope, name string) variable {
	if v, ok := sc.lookup(name); ok {
		if v.value == nil {
			v.value = v.element("0")
		}
		return v
	}
	switch name {
	case "PATH", "HOME", "PWD", "SHELL", "IFS":
		return in.variable(sc, place{}, name)
	}
	return variable{value: text(""), unset: true}
}

func (in *interp) assignArray(sc *scope, a *syntax.Assign, name string) {
	out := variable{array: true}
	if a.Append {
		old := in.quiet(sc, name)
		out.list = slices.Clone(old.all())
		if old.unset && !old.array {
			out.list = nil
		}
	}
	for _, e := range a.Array.Elems {
		in.step(1)
		if e.Index != nil {
			for _, key := range in.key(sc, e.Index) {
				out = out.put(plain(key), in.text(sc, e.Value))
			}
			continue
		}
		if e.Value == nil {
			continue
		}
		lists := in.words(sc, []*syntax.Word{e.Value})
		if len(lists) == 1 {
			in.step(len(lists[0]))
			out = out.add(lists[0])
			continue
		}
		all := value{}
		for _, l := range lists {
			for _, f := range l {
				all = join(all, value{f})
			}
		}
		if len(all) > 0 {
			out = out.put(itoa(len(out.list)), all)
		}
	}
	in.assignList(sc, in.at(a), name, out)
}

// key gives a subscript as text: a number, or a word of an associative array.
func (in *interp) key(sc *scope, x syntax.ArithmExpr) value {
	if w, ok := x.(*syntax.Word); ok {
		if n, known := in.evaluateQuiet(sc, w); known {
			return text(itoa(int(n)))
		}
		return in.text(sc, w)
	}
	return in.arithmetic(sc, x)
}

func (in *interp) evaluateQuiet(sc *scope, w *syntax.Word) (int64, bool) {
	s, ok := in.text(sc, w).only()
	if !ok || s == "" {
		return 0, false
	}
	if n, ok := integer(s); ok {
		return n, true
	}
	if v, set := sc.lookup(s); set {
		if t, one := v.value.only(); one && t != "" {
			return integer(t)
		}
	}
	return 0, false
}

func (in *interp) assignElement(sc *scope, name string, x syntax.ArithmExpr, v value) {
	old := in.quiet(sc, name)
	for _, key := range in.key(sc, x) {
		if hasHole(key) {
			old = scattered(open(join(old.any(), v)))
			break
		}
		old = old.put(plain(key), v)
	}
	in.assignList(sc, in.at(x), name, old)
}

// declare interprets declare, typeset, local, export, readonly and nameref.
func (in *interp) declare(sc *scope, c *syntax.DeclClause) {
	flags := ""
	for _, a := range c.Args {
		if a.Name == nil { // an option, or a word that becomes an assignment
			for _, s := range in.text(sc, a.Value) {
				t := plain(s)
				switch {
				case strings.HasPrefix(t, "-"):
					flags += t
				case strings.HasPrefix(t, "+"):
				case hasHole(s):
					in.unresolved(in.at(c), c.Variant.Value, "declares variables whose names are computed")
				default:
					in.declareText(sc, in.at(c), t)
				}
			}
			continue
		}
		in.declareOne(sc, c.Variant.Value, flags, a)
	}
}

func (in *interp) declareText(sc *scope, p place, s string) {
	if name, v, ok := strings.Cut(s, "="); ok {
		if base, _, isElement := strings.Cut(name, "["); isElement {
			in.subscripts(sc, p, text(s))
			old := in.quiet(sc, base)
			in.assignList(sc, p, base, scattered(open(join(old.any(), text(v)))))
			return
		}
		in.assign(sc, p, strings.TrimSuffix(name, "+"), text(v))
	}
}

func (in *interp) declareOne(sc *scope, variant, flags string, a *syntax.Assign) {
	name := a.Name.Value
	if (variant == "local" || variant == "declare" || variant == "typeset") && !strings.Contains(flags, "g") {
		if f := sc.function(); f != nil && !f.locals[name] {
			f.locals[name] = true
			switch old, _ := sc.direct(name); {
			case a.Naked:
				sc.vars[name] = variable{value: text("")} // hides the outer one
			case old.ref != "":
				sc.vars[name] = variable{value: unknown} // also a reference
			}
		}
	}
	if strings.Contains(flags, "n") || variant == "nameref" {
		target, ok := in.text(sc, a.Value).only()
		if !ok || !syntax.ValidName(target) || target == name {
			in.subscripts(sc, in.at(a), in.text(sc, a.Value))
			sc.vars[name] = variable{value: unknown}
			return
		}
		sc.vars[name] = variable{ref: target}
		return
	}
	if strings.Contains(flags, "i") {
		in.integers[name] = true
	}
	in.assignment(sc, a)
	if strings.Contains(flags, "r") || variant == "readonly" {
		in.fixed[name] = true
	}
	if v := in.quiet(sc, name); v.value != nil && !v.array && (strings.Contains(flags, "u") || strings.Contains(flags, "l")) {
		upper := strings.Contains(flags, "u")
		sc.set(name, variable{value: v.value.each(func(s string) string {
			if upper {
				return keepMark(s, strings.ToUpper(plain(s)))
			}
			return keepMark(s, strings.ToLower(plain(s)))
		})})
	}
}

// function is the layer of the innermost function that runs; nil: none does.
func (s *scope) function() *scope {
	for at := s; at != nil; at = at.outer {
		if at.locals != nil {
			return at
		}
	}
	return nil
}
