package js

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// stringMethods are those of String.prototype. Source: ECMAScript 2023,
// 22.1.3, with annex B's.
const stringMethods = " anchor at big blink bold charAt charCodeAt codePointAt concat endsWith fixed fontcolor fontsize " +
	"includes indexOf italics lastIndexOf link localeCompare match matchAll normalize padEnd padStart repeat replace " +
	"replaceAll search slice small split startsWith strike sub substr substring sup toLowerCase toLocaleLowerCase " +
	"toString toUpperCase toLocaleUpperCase trim trimEnd trimStart trimLeft trimRight valueOf "

func stringMethod(name string) bool { return strings.Contains(stringMethods, " "+name+" ") }

// callString calls a method of a string or a number: folded where everything
// is known.
func (i *interpreter) callString(v value, name string, args arguments, n *node) set {
	for _, p := range args.at(0) {
		if p.what == thing { // an object that says itself how to match
			if found, ok := i.lookup(p.obj, "@@"+strings.TrimSuffix(name, "All")); ok {
				i.callAll(found, p.set(), arguments{list: append([]set{v.set()}, args.from(1).list...)}, n)
			}
		}
	}
	switch name {
	case "concat":
		out := v.set()
		for _, s := range args.list {
			out = i.concat(out, s)
		}
		return out
	case "split":
		return i.split(v, args, n)
	case "replace", "replaceAll":
		return i.replace(v, args, n)
	case "match", "matchAll":
		found := i.object(n, "match", nil)
		i.add(&found.rest, set{{what: text, built: true}})
		return found.set()
	case "toString", "valueOf", "toLocaleString":
		if v.what == number && len(args.list) == 1 {
			return inRadix(v.n, args.at(0))
		}
		if v.what == number {
			return str(formatNumber(v.n))
		}
		if v.what == constant && len(args.list) > 0 {
			return encode(v.s, args.at(0))
		}
		return v.set()
	}
	if !stringMethod(name) {
		i.escape(args.all(), n)
		return anything.with(prefix("")) // of a Buffer, say
	}
	if v.what != constant {
		switch name {
		case "trim", "trimStart", "toLowerCase", "toUpperCase", "normalize", "trimEnd":
			if v.what == text && name == "trimEnd" {
				return v.set()
			}
			return set{{what: text, built: true}}
		}
		return inert.with(set{{what: text, built: true}})
	}
	return fold(v.s, name, args)
}

// fold applies a method to a known string.
func fold(s, name string, args arguments) set {
	built := func(s string) set { return set{{what: constant, s: s, built: true}} }
	switch name {
	case "trim":
		return set{{what: constant, s: strings.TrimSpace(s)}}
	case "trimStart", "trimLeft":
		return set{{what: constant, s: strings.TrimLeft(s, " \t\n\r\v\f")}}
	case "trimEnd", "trimRight":
		return set{{what: constant, s: strings.TrimRight(s, " \t\n\r\v\f")}}
	case "toLowerCase", "toLocaleLowerCase":
		return built(strings.ToLower(s))
	case "toUpperCase", "toLocaleUpperCase":
		return built(strings.ToUpper(s))
	case "normalize":
		return built(norm.NFKC.String(s))
	}
	r := []rune(s)
	switch name {
	case "slice", "substring", "substr":
		from, to, ok := bounds(args, len(r))
		if !ok {
			return set{{what: text, built: true}}
		}
		if name == "substr" && !args.missing(1) {
			if k, known := integer(args.at(1)); known {
				to = min(len(r), from+max(k, 0))
			}
		}
		if name == "substring" {
			from, to = substringBounds(args, len(r))
		}
		if from >= to {
			return str("")
		}
		return built(string(r[from:to]))
	case "charAt", "at", "charCodeAt", "codePointAt":
		return character(r, name, args)
	case "repeat":
		if k, ok := integer(args.at(0)); ok && k >= 0 && k*len(s) <= maxText {
			return built(strings.Repeat(s, k))
		}
		return set{{what: text, s: s, built: true}}
	case "padStart", "padEnd":
		return set{{what: text, built: true}}.with(str(s))
	}
	return inert
}

func character(r []rune, name string, args arguments) set {
	k, ok := 0, true
	if !args.missing(0) {
		k, ok = integer(args.at(0))
	}
	if !ok {
		if name == "charAt" || name == "at" {
			return set{{what: text, built: true}}
		}
		return inert
	}
	if name == "at" && k < 0 {
		k += len(r)
	}
	if k < 0 || k >= len(r) {
		return inert
	}
	if name == "charAt" || name == "at" {
		return set{{what: constant, s: string(r[k]), built: true}}
	}
	return num(float64(r[k]))
}

func integer(s set) (int, bool) {
	if len(s) != 1 {
		return 0, false
	}
	n, ok := toNumber(s[0])
	if !ok || n != float64(int32(n)) {
		return 0, false
	}
	return int(n), true
}

// bounds are those of slice.
func bounds(args arguments, length int) (from, to int, ok bool) {
	to = length
	if !args.missing(0) {
		if from, ok = integer(args.at(0)); !ok {
			return 0, 0, false
		}
	}
	if !args.missing(1) {
		if to, ok = integer(args.at(1)); !ok {
			return 0, 0, false
		}
	}
	if from < 0 {
		from += length
	}
	if to < 0 {
		to += length
	}
	from, to = min(max(from, 0), length), min(max(to, 0), length)
	return from, max(from, to), true
}

func substringBounds(args arguments, length int) (from, to int) {
	from, _ = integer(args.at(0))
	to = length
	if !args.missing(1) {
		to, _ = integer(args.at(1))
	}
	from, to = min(max(from, 0), length), min(max(to, 0), length)
	return min(from, to), max(from, to)
}

func (i *interpreter) split(v value, args arguments, n *node) set {
	sep := args.at(0)
	if v.what == constant && len(v.s) <= maxText && len(sep) == 1 && sep[0].what == constant {
		parts := strings.Split(v.s, sep[0].s)
		if len(parts) <= maxProperties {
			items := make([]set, len(parts))
			for k, p := range parts {
				items[k] = set{{what: constant, s: p, built: true}}
			}
			role := "split " + sep[0].s + " " + v.s
			if len(role) < 2000 {
				return i.newList(n, role, nil, items).set()
			}
		}
	}
	o := i.object(n, "split", nil)
	i.add(&o.rest, set{{what: text, built: true}})
	return o.set()
}

// replace is a string with some of it replaced.
func (i *interpreter) replace(v value, args arguments, n *node) set {
	with := args.at(1)
	i.callback(with, n, prefix(""), prefix(""), anything)
	unknown := set{{what: text, built: true}}
	pattern := args.at(0)
	if v.what != constant || len(pattern) != 1 || len(with) != 1 || with[0].what != constant || strings.Contains(with[0].s, "$") {
		return unknown
	}
	p, to := pattern[0], with[0].s
	built := func(s string) set { return set{{what: constant, s: s, built: true}} }
	if p.what == constant {
		if strings.Count(v.s, p.s)*len(to) > maxText || p.s == "" {
			return unknown
		}
		return built(strings.Replace(v.s, p.s, to, 1)).with(built(strings.ReplaceAll(v.s, p.s, to)))
	}
	if p.what != known || !strings.HasPrefix(p.s, "/") {
		return unknown
	}
	end := strings.LastIndexByte(p.s, '/')
	body, flags := p.s[1:end], p.s[end+1:]
	if strings.Contains(flags, "i") {
		body = "(?i)" + body
	}
	if len(body) > 256 || len(v.s)*(len(to)+1) > 4*maxText {
		return unknown
	}
	re, err := regexp.Compile(body)
	if err != nil {
		return unknown
	}
	if strings.Contains(flags, "g") {
		return built(re.ReplaceAllLiteralString(v.s, to))
	}
	at := re.FindStringIndex(v.s)
	if at == nil {
		return built(v.s)
	}
	return built(v.s[:at[0]] + to + v.s[at[1]:])
}

// inRadix writes a number in a base: (27).toString(36).
func inRadix(n float64, base set) set {
	b, ok := integer(base)
	if !ok || b < 2 || b > 36 || n != float64(int64(n)) {
		return set{{what: text, built: true}}
	}
	return set{{what: constant, s: strconv.FormatInt(int64(n), b), built: true}}
}

// encode is a Buffer's toString: bytes are kept as a string.
func encode(s string, encoding set) set {
	if len(encoding) != 1 || encoding[0].what != constant {
		return set{{what: text, built: true}}
	}
	switch strings.ToLower(encoding[0].s) {
	case "base64":
		return set{{what: constant, s: base64.StdEncoding.EncodeToString([]byte(s)), built: true}}
	case "base64url":
		return set{{what: constant, s: base64.RawURLEncoding.EncodeToString([]byte(s)), built: true}}
	case "hex":
		return set{{what: constant, s: hex.EncodeToString([]byte(s)), built: true}}
	}
	return set{{what: constant, s: s, built: true}}
}
