package py

import (
	"strconv"
	"strings"

	"palisade/internal/analysis"
	"palisade/internal/python"
)

// percent is `template % args`.
func (in *interp) percent(n python.Node, template object, args val) val {
	t, ok := template.(cStr)
	if !ok {
		if p, isPrefix := template.(prefix); isPrefix {
			return one(prefix(beforeVerb(string(p))))
		}
		return anyText
	}
	var operands []val
	o, single := args.only()
	mapping, isDict := o.(*dict)
	if l, isList := o.(*list); single && isTuple(l, isList) {
		operands = l.elems
	} else if single && !isDict {
		operands = []val{args}
	} else if !isDict {
		return one(prefix(beforeVerb(string(t))))
	}
	var out = text("")
	s := string(t)
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return join2(out, text(s))
		}
		out = join2(out, text(s[:i]))
		s = s[i+1:]
		key := ""
		if strings.HasPrefix(s, "(") {
			end := strings.IndexByte(s, ')')
			if end < 0 {
				return anyText
			}
			key, s = s[1:end], s[end+1:]
		}
		flags := 0
		for flags < len(s) && strings.IndexByte("#0- +.123456789hlL*", s[flags]) >= 0 {
			flags++
		}
		if flags == len(s) {
			return anyText
		}
		verb := s[flags]
		plain := flags == 0
		s = s[flags+1:]
		if verb == '%' {
			out = join2(out, text("%"))
			continue
		}
		var arg val
		switch {
		case key != "" && isDict:
			arg = in.dictItem(mapping, text(key))
		case len(operands) > 0:
			arg, operands = operands[0], operands[1:]
		default:
			return anyText
		}
		out = join2(out, verbText(verb, plain, arg))
	}
	return out
}

func isTuple(l *list, ok bool) bool { return ok && l.kind == aTuple && l.exact }

// verbText is what one conversion of a % template gives.
func verbText(verb byte, plain bool, arg val) val {
	out := val{}
	if strings.IndexByte("dioxXeEfFgGu", verb) >= 0 {
		if o, ok := arg.only(); ok {
			if i, isInt := asInt(o); isInt && plain {
				switch verb {
				case 'd', 'i', 'u':
					return text(strconv.FormatInt(i, 10))
				case 'x':
					return text(strconv.FormatInt(i, 16))
				case 'o':
					return text(strconv.FormatInt(i, 8))
				}
			}
		}
		return one(pattern("*"))
	}
	for j := range arg.size() {
		o := arg.at(j)
		if i, ok := asInt(o); ok && verb == 'c' && i >= 0 {
			out = join(out, text(string(rune(i))))
			continue
		}
		s, exact, ok := asText(o)
		switch {
		case !ok && verb == 's':
			if p, isPrefix := o.(prefix); isPrefix && plain {
				out = join(out, one(p))
				continue
			}
			out = join(out, anyText)
		case !ok || verb == 'r' || verb == 'a' || !plain && verb != 's':
			out = join(out, anyText)
		case exact && plain:
			out = join(out, text(s))
		case !exact:
			out = join(out, one(pattern(s)))
		default:
			out = join(out, anyText)
		}
	}
	if arg.open {
		out = join(out, anyText)
	}
	return out
}

// join2 concatenates every combination of two texts.
func join2(a, b val) val {
	if a.size()*b.size() > maxPairs {
		return anyText
	}
	var out val
	for i := range a.size() {
		x := a.at(i)
		for i := range b.size() {
			y := b.at(i)
			out = join(out, concat(x, y))
		}
	}
	if out.empty() {
		return anyText
	}
	return out
}

// joined is an f-string.
func (in *interp) joined(s *scope, values []python.Expr) val {
	out := text("")
	for _, e := range values {
		switch e := e.(type) {
		case *python.Constant:
			out = join2(out, text(e.Value.Str))
		case *python.FormattedValue:
			out = join2(out, in.formatted(s, e.Value, e.FormatSpec, e.Conversion))
		default:
			in.eval(s, e)
			out = join2(out, anyText)
		}
	}
	for i := range out.size() {
		o := out.at(i)
		if t, ok := o.(cStr); ok && isBuilt(string(t)) && len(values) > 1 {
			in.built(values[0], string(t))
		}
	}
	return out
}

// formatted is a replacement field: format(value, spec).
func (in *interp) formatted(s *scope, value, spec python.Expr, conversion int) val {
	v := in.load(s, value, asBase)
	in.refer(value, v, false)
	var specs val
	if spec != nil {
		specs = in.eval(s, spec)
	}
	return in.formatValue(value, v, specs, conversion)
}

// formatValue is format(v, spec) as text.
func (in *interp) formatValue(n python.Node, v, spec val, conversion int) val {
	if !in.deeper() {
		return anyText
	}
	defer in.shallower()
	plain := spec.empty() || spec.has(cStr("")) && spec.size() == 1
	out := val{}
	for j := range v.size() {
		o := v.at(j)
		if i, ok := o.(*instance); ok {
			if c, ok := i.of.(*class); ok {
				out = join(out, in.textOf(n, i, c))
				continue
			}
			if i.of == symbol("pathlib.Path") && plain {
				out = join(out, pathText(i))
				continue
			}
		}
		t, exact, ok := asText(o)
		_, isStr := o.(cStr)
		switch {
		case isNumber(o) && !plain:
			out = join(out, formatInt(o, spec))
		case ok && conversion > 0 && conversion != 's' && isStr:
			if strings.ContainsAny(t, "'\"\\") || strings.IndexFunc(t, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
				out = join(out, anyText)
			} else {
				out = join(out, text("'"+t+"'"))
			}
		case ok && !plain:
			out = join(out, anyText)
		case ok && exact:
			out = join(out, text(t))
		case ok:
			out = join(out, one(pattern(t)))
		default:
			if p, isPrefix := o.(prefix); isPrefix && plain {
				out = join(out, one(p))
				continue
			}
			out = join(out, anyText)
		}
	}
	if v.open || out.empty() {
		out = join(out, anyText)
	}
	return out
}

// formatInt formats a number; a specification that only shapes digits keeps
// it free of anything else.
func formatInt(o object, spec val) val {
	sp, ok := spec.only()
	s, isStr := sp.(cStr)
	i, isInt := asInt(o)
	if ok && isStr && isInt {
		switch s {
		case "d":
			return text(strconv.FormatInt(i, 10))
		case "c":
			if i >= 0 && i <= 0x10ffff {
				return text(string(rune(i)))
			}
		case "x":
			return text(strconv.FormatInt(i, 16))
		}
	}
	if ok && isStr && strings.Trim(string(s), "0123456789.,+-_ <>=^%deEfFgGnxXob") == "" {
		return one(pattern("*"))
	}
	return anyText
}

// formatMethod is "…".format(*args, **kwargs); its fields may walk attributes.
func (in *interp) formatMethod(n python.Node, template object, args callArgs) val {
	t, ok := template.(cStr)
	if !ok {
		in.computedTemplate(n, args)
		p, isPrefix := template.(prefix)
		if isPrefix {
			s, _, _ := strings.Cut(string(p), "{")
			return one(prefix(s))
		}
		return anyText
	}
	out, s, auto := text(""), string(t), 0
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			return join2(out, text(s))
		}
		out = join2(out, text(s[:i]))
		if i+1 < len(s) && s[i+1] == s[i] {
			out = join2(out, text(s[i:i+1]))
			s = s[i+2:]
			continue
		}
		if s[i] == '}' {
			return anyText
		}
		field, rest, ok := fieldEnd(s[i+1:])
		if !ok {
			return anyText
		}
		s = rest
		expr, spec, _ := strings.Cut(field, ":")
		expr, conv, _ := strings.Cut(expr, "!")
		if strings.Contains(spec, "{") {
			in.formatMethod(n, cStr(spec), args) // nested fields walk as well
			spec = "?"
		}
		v := in.fieldValue(n, expr, args, &auto)
		sv := val{}
		if spec != "" {
			sv = text(spec)
		}
		conversion := -1
		if conv != "" {
			conversion = int(conv[0])
		}
		out = join2(out, in.formatValue(n, v, sv, conversion))
	}
	for i := range out.size() {
		o := out.at(i)
		if t, ok := o.(cStr); ok && isBuilt(string(t)) {
			in.built(n, string(t))
		}
	}
	return out
}

// computedTemplate reports a template that is not known where what it formats
// leads further than data does: a module, a function, a class.
func (in *interp) computedTemplate(n python.Node, args callArgs) {
	given := args.all()
	for i := range given.size() {
		o := given.at(i)
		switch o.(type) {
		case module, symbol, namespace, *function, *method, *class:
			in.unresolved(n, "str.format", "a format string that is computed may walk attributes")
			return
		}
	}
}

// fieldEnd splits after the brace that closes a replacement field.
func fieldEnd(s string) (field, rest string, ok bool) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return s[:i], s[i+1:], true
			}
			depth--
		}
	}
	return "", "", false
}

// fieldValue evaluates a field such as "0.a[b].c". Attributes that it walks
// are reported; a text can not be called, so only introspection counts.
func (in *interp) fieldValue(n python.Node, expr string, args callArgs, auto *int) val {
	end := strings.IndexAny(expr, ".[")
	if end < 0 {
		end = len(expr)
	}
	name, walk := expr[:end], expr[end:]
	var v val
	if name == "" {
		name = strconv.Itoa(*auto)
		*auto++
	}
	if i, err := strconv.Atoi(name); err == nil {
		v = args.at(i)
	} else {
		v = args.named(name)
	}
	if v.empty() {
		v = unknown
	}
	for walk != "" {
		if walk[0] == '[' {
			end := strings.IndexByte(walk, ']')
			if end < 0 {
				return unknown
			}
			v = in.item(n, v, text(walk[1:end]))
			walk = walk[end+1:]
			continue
		}
		walk = strings.TrimPrefix(walk, ".")
		end := strings.IndexAny(walk, ".[")
		if end < 0 {
			end = len(walk)
		}
		attr := walk[:end]
		walk = walk[end:]
		if attr == "__class__" || attr == "__init__" || attr == "__dict__" {
			in.introspect(n, attr, analysis.KindText, "a format field walks attributes")
		}
		v = in.attribute(n, v, attr)
	}
	return v
}
