package py

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"palisade/internal/python"
)

// textMethod folds a method of a str or bytes.
func (in *interp) textMethod(n python.Node, recv object, name string, args callArgs) val {
	switch name {
	case "format":
		return in.formatMethod(n, recv, args)
	case "format_map":
		return in.formatMethod(n, recv, callArgs{rest: args.at(0), open: true, mapping: args.at(0)})
	case "join":
		return in.joinMethod(recv, args.at(0))
	case "encode":
		if s, ok := recv.(cStr); ok {
			return in.encode(string(s), args.get(0, "encoding"))
		}
		return one(anyBytes{})
	case "decode":
		if s, ok := recv.(cBytes); ok {
			return decodeBytes(string(s), args.get(0, "encoding"))
		}
		return anyText
	case "hex":
		if s, ok := recv.(cBytes); ok {
			return text(hex.EncodeToString([]byte(s)))
		}
		return anyText
	case "fromhex":
		return fromHex(args.at(0))
	}
	s, known, isBytes := plainText(recv)
	if known {
		if v, ok := foldText(s, isBytes, name, args); ok {
			return v
		}
	}
	return textResult(name, isBytes)
}

func plainText(o object) (s string, known, isBytes bool) {
	switch o := o.(type) {
	case cStr:
		return string(o), true, false
	case cBytes:
		return string(o), true, true
	case anyBytes:
		return "", false, true
	}
	return "", false, false
}

// textResult is the kind of thing that a method gives when it is not folded.
func textResult(name string, isBytes bool) val {
	some := anyText
	if isBytes {
		some = one(anyBytes{})
	}
	switch name {
	case "split", "rsplit", "splitlines", "partition", "rpartition":
		return one(&list{rest: some})
	case "startswith", "endswith", "isdigit", "isalpha", "isalnum", "isupper", "islower", "isspace",
		"isnumeric", "isdecimal", "isidentifier", "istitle", "isascii", "isprintable":
		return anyBool
	case "find", "rfind", "index", "rindex", "count", "__len__":
		return anyNumber
	case "maketrans":
		return one(&dict{items: map[object]val{}, rest: unknown})
	case "__add__":
		return some
	case "rstrip", "strip", "lower", "upper", "replace":
		return some
	}
	return some
}

func foldText(s string, isBytes bool, name string, args callArgs) (val, bool) {
	if len(args.kw) > 0 || args.open {
		return val{}, false
	}
	mk := func(t string) (val, bool) {
		if len(t) > maxText {
			return val{}, false
		}
		if isBytes {
			return one(cBytes(t)), true
		}
		return text(t), true
	}
	arg := func(i int, key string) (string, bool, bool) { // text, known, given
		v := args.get(i, key)
		if v.empty() {
			return "", true, false
		}
		o, ok := v.only()
		if !ok {
			return "", false, true
		}
		if _, none := o.(cNone); none {
			return "", true, false
		}
		t, known, b := plainText(o)
		return t, known && b == isBytes, true
	}
	a, okA, hasA := arg(0, "")
	b, okB, _ := arg(1, "")
	switch name {
	case "lower", "casefold":
		if isASCII(s) {
			return mk(strings.ToLower(s))
		}
	case "upper":
		if isASCII(s) {
			return mk(strings.ToUpper(s))
		}
	case "swapcase":
		if isASCII(s) {
			return mk(strings.Map(swap, s))
		}
	case "capitalize":
		if isASCII(s) && s != "" {
			return mk(strings.ToUpper(s[:1]) + strings.ToLower(s[1:]))
		}
	case "title":
		if isASCII(s) {
			return mk(title(s))
		}
	case "strip", "lstrip", "rstrip":
		if !okA || !isASCII(s) {
			return val{}, false
		}
		if !hasA {
			a = " \t\n\r\v\f"
			if !isBytes {
				a += "\x1c\x1d\x1e\x1f"
			}
		}
		switch name {
		case "strip":
			return mk(strings.Trim(s, a))
		case "lstrip":
			return mk(strings.TrimLeft(s, a))
		}
		return mk(strings.TrimRight(s, a))
	case "removeprefix":
		if okA && hasA {
			return mk(strings.TrimPrefix(s, a))
		}
	case "removesuffix":
		if okA && hasA {
			return mk(strings.TrimSuffix(s, a))
		}
	case "replace", "__replace":
		if okA && okB && len(args.pos) == 2 && len(s)*max(1, len(b)) <= maxText {
			return mk(strings.ReplaceAll(s, a, b))
		}
	case "split":
		if !okA || len(args.pos) > 1 || args.open || len(args.kw) > 0 {
			return val{}, false
		}
		var parts []string
		if !hasA && strings.ContainsAny(s, "\x1c\x1d\x1e\x1f") {
			return val{}, false
		}
		if !hasA {
			parts = strings.Fields(s)
		} else if a != "" {
			parts = strings.Split(s, a)
		}
		if len(parts) > 1024 {
			return val{}, false
		}
		l := newList(aList)
		for _, p := range parts {
			v, _ := mk(p)
			l.elems = append(l.elems, v)
		}
		return one(l), true
	case "startswith":
		if okA && hasA && len(args.pos) == 1 {
			return one(cBool(strings.HasPrefix(s, a))), true
		}
	case "endswith":
		if okA && hasA && len(args.pos) == 1 {
			return one(cBool(strings.HasSuffix(s, a))), true
		}
	case "isalpha":
		if isASCII(s) {
			return one(cBool(s != "" && strings.IndexFunc(s, func(r rune) bool { return r|32 < 'a' || r|32 > 'z' }) < 0)), true
		}
	case "isdigit":
		if isASCII(s) {
			return one(cBool(s != "" && strings.Trim(s, "0123456789") == "")), true
		}
	case "isupper":
		if isASCII(s) {
			return one(cBool(strings.ToUpper(s) == s && strings.ToLower(s) != s)), true
		}
	case "islower":
		if isASCII(s) {
			return one(cBool(strings.ToLower(s) == s && strings.ToUpper(s) != s)), true
		}
	case "index", "find":
		if okA && hasA && len(args.pos) == 1 && isASCII(s) {
			if i := strings.Index(s, a); i >= 0 || name == "find" {
				return one(cInt(i)), true
			}
		}
	case "__add__":
		if okA && hasA {
			return mk(s + a)
		}
	case "__getitem__":
		return textItem(pick(isBytes, s), args.at(0)), true
	case "__len__":
		return one(cInt(utf8.RuneCountInString(s))), true
	case "translate":
		return translate(s, isBytes, args.at(0))
	case "zfill", "center", "ljust", "rjust", "expandtabs":
		return val{}, false
	}
	return val{}, false
}

func pick(isBytes bool, s string) object {
	if isBytes {
		return cBytes(s)
	}
	return cStr(s)
}

func swap(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r - 32
	case 'A' <= r && r <= 'Z':
		return r + 32
	}
	return r
}

func title(s string) string {
	out, start := []byte(strings.ToLower(s)), true
	for i, c := range out {
		letter := 'a' <= c && c <= 'z'
		if letter && start {
			out[i] = c - 32
		}
		start = !letter
	}
	return string(out)
}

// joinMethod is sep.join(parts).
func (in *interp) joinMethod(sep object, parts val) val {
	sepText, known, isBytes := plainText(sep)
	elems, exact := in.elements(nil, parts)
	some := anyText
	if isBytes {
		some = one(anyBytes{})
	}
	if !known || !exact || len(elems) > 1024 {
		return some
	}
	if isBytes {
		var b strings.Builder
		for i, e := range elems {
			o, ok := e.only()
			s, isB := o.(cBytes)
			if !ok || !isB || b.Len() > maxText {
				return some
			}
			if i > 0 {
				b.WriteString(sepText)
			}
			b.WriteString(string(s))
		}
		return one(cBytes(b.String()))
	}
	// The common case at once: every part is one constant.
	var b strings.Builder
	all := true
	for i, e := range elems {
		o, ok := e.only()
		s, isS := o.(cStr)
		if !ok || !isS || b.Len() > maxText {
			all = false
			break
		}
		if i > 0 {
			b.WriteString(sepText)
		}
		b.WriteString(string(s))
	}
	if all {
		return text(b.String())
	}
	out := text("")
	for i, e := range elems {
		if i > 0 {
			out = join2(out, text(sepText))
		}
		if e.open {
			e = join(e.bare(), anyText)
		}
		out = join2(out, e)
		if p, ok := out.only(); ok {
			if _, isPrefix := p.(prefix); isPrefix {
				return out
			}
		}
	}
	return out
}

func translate(s string, isBytes bool, table val) (val, bool) {
	o, ok := table.only()
	d, isDict := o.(*dict)
	if !ok || !isDict || !d.exact || isBytes {
		return val{}, false
	}
	var b strings.Builder
	for _, r := range s {
		v, ok := d.items[cInt(r)]
		if !ok {
			b.WriteRune(r)
			continue
		}
		to, ok := v.only()
		if !ok {
			return val{}, false
		}
		switch to := to.(type) {
		case cInt:
			b.WriteRune(rune(to))
		case cStr:
			b.WriteString(string(to))
		case cNone:
		default:
			return val{}, false
		}
		if b.Len() > maxText {
			return val{}, false
		}
	}
	return text(b.String()), true
}

// maketrans is str.maketrans.
func maketrans(args callArgs) val {
	d := newDict()
	if len(args.pos) == 1 {
		o, _ := args.pos[0].only()
		from, ok := o.(*dict)
		if !ok || !from.exact {
			return one(&dict{items: map[object]val{}, rest: unknown})
		}
		for _, k := range from.keys {
			if s, ok := k.(cStr); ok && utf8.RuneCountInString(string(s)) == 1 {
				r, _ := utf8.DecodeRuneInString(string(s))
				d.put(cInt(r), from.items[k])
				continue
			}
			d.put(k, from.items[k])
		}
		return one(d)
	}
	a, _ := args.at(0).only()
	b, _ := args.at(1).only()
	x, ok1 := a.(cStr)
	y, ok2 := b.(cStr)
	rx, ry := []rune(string(x)), []rune(string(y))
	if !ok1 || !ok2 || len(rx) != len(ry) {
		return one(&dict{items: map[object]val{}, rest: unknown})
	}
	for i := range rx {
		d.put(cInt(rx[i]), one(cInt(ry[i])))
	}
	if c, ok := args.at(2).only(); ok {
		if z, ok := c.(cStr); ok {
			for _, r := range string(z) {
				d.put(cInt(r), noneValue)
			}
		}
	}
	return one(d)
}
