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
		return one(prefix(""))
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
				return one(prefix(""))
			}
			key, s = s[1:end], s[end+1:]
		}
		flags := 0
		for flags < len(s) && strings.IndexByte("#0- +.123456789hlL*", s[flags]) >= 0 {
			flags++
		}
		if flags == len(s) {
			return one(prefix(""))
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
			return one(prefix(""))
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
	for _, o := range arg.objs {
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
			out = join(out, one(prefix("")))
		case !ok || verb == 'r' || verb == 'a' || !plain && verb != 's':
			out = join(out, one(prefix("")))
		case exact && plain:
			out = join(out, text(s))
		case !exact:
			out = join(out, one(pattern(s)))
		default:
			out = join(out, one(prefix("")))
		}
	}
	if arg.open {
		out = join(out, one(prefix("")))
	}
	return out
}

// join2 concatenates every combination of two texts.
func join2(a, b val) val {
	if len(a.objs)*len(b.objs) > maxPairs {
		return one(prefix(""))
	}
	var out val
	for _, x := range a.objs {
		for _, y := range b.objs {
			out = join(out, concat(x, y))
		}
	}
	if out.empty() {
		return one(prefix(""))
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
			out = join2(out, one(prefix("")))
		}
	}
	for _, o := range out.objs {
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
		return one(prefix(""))
	}
	defer in.shallower()
	plain := spec.empty() || spec.has(cStr("")) && len(spec.objs) == 1
	out := val{}
	for _, o := range v.objs {
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
				out = join(out, one(prefix("")))
			} else {
				out = join(out, text("'"+t+"'"))
			}
		case ok && !plain:
			out = join(out, one(prefix("")))
		case ok && exact:
			out = join(out, text(t))
		case ok:
			out = join(out, one(pattern(t)))
		default:
			if p, isPrefix := o.(prefix); isPrefix && plain {
				out = join(out, one(p))
				continue
			}
			out = join(out, one(prefix("")))
		}
	}
	if v.open || out.empty() {
		out = join(out, one(prefix("")))
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
	return one(prefix(""))
}

// formatMethod is "…".format(*args, **kwargs); its fields may walk attributes.
func (in *interp) formatMethod(n python.Node, template object, args callArgs) val {
	t, ok := template.(cStr)
	if !ok {
		p, isPrefix := template.(prefix)
		if isPrefix {
			s, _, _ := strings.Cut(string(p), "{")
			return one(prefix(s))
		}
		return one(prefix(""))
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
			return one(prefix(""))
		}
		field, rest, ok := fieldEnd(s[i+1:])
		if !ok {
			return one(prefix(""))
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
	for _, o := range out.objs {
		if t, ok := o.(cStr); ok && isBuilt(string(t)) {
			in.built(n, string(t))
		}
	}
	return out
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
