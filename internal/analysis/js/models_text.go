package js

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"unicode/utf8"
)

func textModels() map[string]model {
	m := map[string]model{
		"String":              func(i *interpreter, c call) set { return i.text(c.args.at(0), c.node) },
		"String.raw":          rawText,
		"String.fromCharCode": fromCodes, "String.fromCodePoint": fromCodes,
		"Number": toNumbers, "parseFloat": toNumbers, "parseInt": parseInteger, "Number.parseInt": parseInteger,
		"Number.parseFloat":  toNumbers,
		"atob":               decode(func(s string) (string, bool) { return fromBase64(s) }),
		"btoa":               decode(func(s string) (string, bool) { return base64.StdEncoding.EncodeToString([]byte(s)), true }),
		"unescape":           decode(percent),
		"escape":             decode(func(s string) (string, bool) { return url.QueryEscape(s), true }),
		"decodeURIComponent": decode(percent), "decodeURI": decode(percent), "querystring.unescape": decode(percent),
		"encodeURIComponent": decode(func(s string) (string, bool) { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20"), true }),
		"encodeURI":          decode(func(s string) (string, bool) { return s, true }),
		"JSON.parse":         parseJSON,
		"JSON.stringify":     stringify,
		"Buffer":             bufferFrom, "Buffer.from": bufferFrom,
		"Buffer.concat": bufferConcat,
		"Buffer.alloc":  nothing, "Buffer.allocUnsafe": nothing, "Buffer.isBuffer": nothing, "Buffer.byteLength": nothing,
		"TextDecoder": give("TextDecoder()"), "TextDecoder().decode": decodeBytes,
		"TextEncoder": give("TextEncoder()"), "TextEncoder().encode": first,
		"Symbol": nothing, "Symbol.for": nothing, "Boolean": nothing, "isNaN": nothing, "isFinite": nothing, "BigInt": nothing,
		"util.format": formatText, "util.inspect": nothing,
	}
	return m
}

// decode is the model of a function from a string to a string.
func decode(f func(string) (string, bool)) model {
	return func(i *interpreter, c call) set {
		var out set
		for _, v := range i.text(c.args.at(0), c.node) {
			if v.what == constant && len(v.s) <= maxText {
				if s, ok := f(v.s); ok {
					out = out.plus(value{what: constant, s: s, built: true})
					continue
				}
			}
			out = out.plus(value{what: text, built: true})
		}
		return out
	}
}

// fromBase64 decodes as Node.js does: both alphabets, padding or none, and
// what is not of the alphabet is skipped.
func fromBase64(s string) (string, bool) {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '-':
			r = '+'
		case r == '_':
			r = '/'
		case r == '=':
			continue
		}
		if r < 0x80 && (isWord(byte(r)) && r != '$' && r != '\\' || r == '+' || r == '/') {
			b.WriteRune(r)
		}
	}
	raw := strings.ReplaceAll(b.String(), "_", "/")
	if len(raw)%4 == 1 {
		raw = raw[:len(raw)-1]
	}
	out, err := base64.RawStdEncoding.DecodeString(raw)
	return string(out), err == nil
}

// percent decodes %41 and %u0041.
func percent(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+5 < len(s) && s[i+1] == 'u' {
			if r, size := hexadecimal(s[i+1:], 1, 5); size == 5 {
				b.WriteRune(r)
				i += 5
				continue
			}
		}
		if s[i] == '%' && i+2 < len(s) {
			if raw, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				b.Write(raw)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// fromCodes is String.fromCharCode.
func fromCodes(i *interpreter, c call) set {
	out := set{{what: constant, built: true}}
	if c.args.open {
		return set{{what: text, built: true}}
	}
	for _, s := range c.args.list {
		var letters set
		for _, v := range s {
			n, ok := toNumber(v)
			if !ok || n < 0 || n > utf8.MaxRune {
				letters = letters.plus(value{what: text, built: true})
				continue
			}
			letters = letters.plus(value{what: constant, s: string(rune(n)), built: true})
		}
		out = i.concat(out, letters)
	}
	return out
}

func rawText(i *interpreter, c call) set {
	if len(c.args.list) == 0 {
		return prefix("")
	}
	items, exact := i.items(c.args.list[0], c.node)
	if !exact {
		return prefix("")
	}
	out := str("")
	for k, s := range items {
		out = i.concat(out, s)
		if k+1 < len(items) && k+1 < len(c.args.list) {
			out = i.concat(out, c.args.list[k+1])
		}
	}
	return out
}

func toNumbers(i *interpreter, c call) set { return i.arithmetic("+", num(0), c.args.at(0)) }

func parseInteger(i *interpreter, c call) set {
	base := 10
	if b, ok := integer(c.args.at(1)); ok && b > 1 && b <= 36 {
		base = b
	}
	var out set
	for _, v := range c.args.at(0) {
		if v.what == number {
			out = out.plus(v)
			continue
		}
		n, digits := 0.0, 0
		for _, r := range strings.ToLower(strings.TrimSpace(v.s)) {
			d := strings.IndexRune("0123456789abcdefghijklmnopqrstuvwxyz", r)
			if d < 0 || d >= base {
				break
			}
			n, digits = n*float64(base)+float64(d), digits+1
		}
		if v.what != constant || digits == 0 || math.IsInf(n, 0) {
			return inert
		}
		out = out.plus(value{what: number, n: n})
	}
	return out.with(nil)
}

func parseJSON(i *interpreter, c call) set {
	var out set
	for _, v := range c.args.at(0) {
		var data any
		if v.what != constant || json.Unmarshal([]byte(v.s), &data) != nil {
			out = out.with(anything)
			continue
		}
		if s, ok := data.(string); ok {
			out = out.plus(value{what: constant, s: s, built: true})
			continue
		}
		out = out.with(i.data(data, c.node, "", 0))
	}
	return out.with(i.callback(c.args.at(1), c.node, prefix(""), out.with(anything)))
}

// data makes values of parsed JSON.
func (i *interpreter) data(x any, n *node, path string, depth int) set {
	i.step(1)
	if depth > 8 || len(path) > 200 {
		return anything
	}
	switch x := x.(type) {
	case string:
		return set{{what: constant, s: x, built: true}}
	case float64:
		return num(x)
	case []any:
		o := i.object(n, "json"+path, nil)
		o.list = true
		for k, item := range x {
			name := formatNumber(float64(k))
			i.add(&o.slot(name).value, i.data(item, n, path+"/"+name, depth+1))
			if k > maxProperties {
				return anything
			}
		}
		return o.set()
	case map[string]any:
		o := i.object(n, "json"+path, nil)
		for _, name := range sortedKeys(x) {
			if len(o.props) > maxProperties {
				return anything
			}
			i.add(&o.slot(name).value, i.data(x[name], n, path+"/"+name, depth+1))
		}
		return o.set()
	}
	return inert
}

func stringify(i *interpreter, c call) set {
	i.callback(c.args.at(1), c.node, prefix(""), anything)
	return prefix("")
}

func decodeBytes(i *interpreter, c call) set {
	return bufferFrom(i, c).with(prefix(""))
}

// bufferFrom is a Buffer: its bytes are kept as a string.
func bufferFrom(i *interpreter, c call) set {
	encoding, _ := single(c.args.at(1))
	var out set
	for _, v := range c.args.at(0) {
		switch {
		case v.what == constant && len(v.s) <= maxText:
			out = out.plus(decodeBuffer(v, encoding))
		case v.what == thing && v.obj.list:
			if s, ok := bytesToText(v.obj); ok {
				out = out.plus(value{what: constant, s: s, built: true})
				continue
			}
			out = out.plus(value{what: text, built: true})
		default:
			out = out.plus(value{what: text, built: true})
		}
	}
	return out
}

func decodeBuffer(v value, encoding string) value {
	var s string
	var ok bool
	switch strings.ToLower(encoding) {
	case "base64", "base64url":
		s, ok = fromBase64(v.s)
	case "hex":
		raw, err := hex.DecodeString(v.s)
		s, ok = string(raw), err == nil
	default:
		return v
	}
	if !ok {
		return value{what: text, built: true}
	}
	return value{what: constant, s: s, built: true}
}

func bytesToText(o *object) (string, bool) {
	if len(o.rest.values) > 0 {
		return "", false
	}
	var b []byte
	for _, s := range o.items() {
		n, ok := integer(s)
		if !ok {
			return "", false
		}
		b = append(b, byte(n))
	}
	return string(b), true
}

func bufferConcat(i *interpreter, c call) set {
	items, exact := i.items(c.args.at(0), c.node)
	if !exact || len(items) > bigArray {
		return set{{what: text, built: true}}
	}
	out := str("")
	for _, s := range items {
		out = i.concat(out, s)
	}
	return out
}

// formatText is util.format where it only puts arguments behind one another.
func formatText(i *interpreter, c call) set {
	out := i.text(c.args.at(0), c.node)
	for _, v := range out {
		if strings.Contains(v.s, "%") {
			before, _, _ := strings.Cut(v.s, "%")
			return prefix(before)
		}
	}
	for _, s := range c.args.from(1).list {
		out = i.concat(i.concat(out, str(" ")), s)
	}
	return out
}
