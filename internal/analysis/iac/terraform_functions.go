package iac

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"palisade"
)

// readers are the functions that read a file while the plan is made. Source:
// the reference of Terraform's language, "Filesystem Functions" and "Hash and
// Crypto Functions".
var readers = map[string]bool{
	"file": true, "filebase64": true, "fileexists": true, "fileset": true, "templatefile": true, "filemd5": true, "filesha1": true,
	"filesha256": true, "filesha512": true, "filebase64sha256": true, "filebase64sha512": true,
}

// transparent functions give their first argument, or one of their arguments.
var transparent = map[string]bool{
	"tostring": true, "tonumber": true, "tobool": true, "tolist": true, "toset": true, "tomap": true, "trimspace": true, "chomp": true,
	"sensitive": true, "nonsensitive": true, "abspath": true, "pathexpand": true, "distinct": true, "compact": true, "flatten": true,
	"sort": true, "reverse": true, "one": true, "ephemeralasnull": true, "issensitive": true, "jsonencode": true, "yamlencode": true,
	"base64gzip": true, // what takes it decodes it
}

// call folds the functions that texts are hidden in; all others give something
// that is not known. Arguments are evaluated in any case.
func (s *scope) call(e *hclsyntax.FunctionCallExpr, p place, depth int) *value {
	args := make([]*value, 0, len(e.Args))
	for _, a := range e.Args {
		args = append(args, s.eval(a, depth))
	}
	name := strings.TrimPrefix(e.Name, "core::")
	if e.ExpandFinal && len(args) > 0 {
		last := args[len(args)-1]
		args = args[:len(args)-1]
		for v := range last.each() {
			args = append(args, v)
		}
	}
	s.foreign(name, args, p)
	if len(args) == 0 {
		return unknownAt(p)
	}
	if readers[name] {
		s.reads(name, args, p)
		return unknownAt(p)
	}
	if out := s.fold1(name, args, p); out != nil {
		return out
	}
	return unknownAt(p)
}

// reads reports the file that a function reads.
func (s *scope) reads(name string, args []*value, p place) {
	n := 0
	for t := range args[0].texts() {
		path := t.text
		if name == "fileset" && len(args) > 1 {
			path += "/" + args[1].first()
		}
		s.path(p, palisade.CapReadPath, name, path, t.how)
		n++
	}
	if n == 0 {
		s.path(p, palisade.CapReadPath, name, gap, "")
	}
}

// fold1 folds one call; nil means that it is not known.
func (s *scope) fold1(name string, args []*value, p place) *value {
	first := args[0]
	switch name {
	case "coalesce", "try", "concat", "setunion", "coalescelist", "lookup", "element", "merge":
		return s.gather(name, args, p)
	case "join":
		if len(args) > 1 {
			return s.join(oneOf(args[1:]), first.first(), p)
		}
	case "format":
		return s.format(args, p)
	case "split":
		if len(args) == 2 && args[1].is(text) && !args[1].unknown() && first.first() != "" {
			out := &value{kind: list, line: p.line, column: p.column}
			for part := range strings.SplitSeq(args[1].text, first.first()) {
				s.step()
				out.items = append(out.items, textAt(part, p))
			}
			return out
		}
	case "jsondecode", "yamldecode":
		if first.is(text) && !first.unknown() && name == "jsondecode" {
			if v, err := readJSON(s.report, first.text, p, false); err == nil {
				return v
			}
		}
		return nil
	}
	if transparent[name] {
		return first
	}
	return s.texts1(name, args, p)
}

// gather gives what may come out of functions that pick or put together.
func (s *scope) gather(name string, args []*value, p place) *value {
	switch name {
	case "merge", "concat", "setunion":
		out := &value{kind: list, line: p.line, column: p.column}
		if name == "merge" {
			out.kind = mapping
		}
		for _, a := range args {
			for v := range a.each() {
				s.step()
				if name == "merge" {
					out.fields = append(out.fields, v.fields...)
				} else {
					out.items = append(out.items, v)
				}
			}
		}
		return out
	case "lookup":
		if len(args) > 1 {
			found := []*value{s.index(args[0], args[1], p)}
			return oneOf(append(found, args[2:]...))
		}
	case "element":
		if len(args) == 2 {
			return s.index(args[0], args[1], p)
		}
	}
	return &value{kind: choice, items: args, line: p.line, column: p.column}
}

// texts1 applies a function of one text to each text that it may get.
func (s *scope) texts1(name string, args []*value, p place) *value {
	var out []*value
	for t := range args[0].texts() {
		if t.unknown() && strings.HasPrefix(name, "base64e") {
			out = append(out, t) // what decodes it takes plain text as well
			continue
		}
		if t.unknown() {
			return nil
		}
		folded, ok := textFunction(name, t.text, args[1:])
		if !ok {
			return nil
		}
		v := textAt(s.fold(clean(folded)), p)
		v.how = strings.TrimPrefix(t.how+"; "+name, "; ")
		out = append(out, v)
	}
	return oneOf(out)
}

func textFunction(name, t string, rest []*value) (string, bool) {
	arg := func(i int) (string, bool) {
		if i >= len(rest) || !rest[i].is(text) || rest[i].unknown() {
			return "", false
		}
		return rest[i].text, true
	}
	switch name {
	case "lower":
		return strings.ToLower(t), true
	case "upper":
		return strings.ToUpper(t), true
	case "base64encode":
		return base64.StdEncoding.EncodeToString([]byte(t)), true
	case "base64decode":
		b, err := base64.StdEncoding.DecodeString(t)
		return string(b), err == nil
	case "urlencode":
		return url.QueryEscape(t), true
	case "strrev":
		r := []rune(t)
		for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
		return string(r), true
	case "trimprefix":
		a, ok := arg(0)
		return strings.TrimPrefix(t, a), ok
	case "trimsuffix":
		a, ok := arg(0)
		return strings.TrimSuffix(t, a), ok
	case "replace":
		a, okA := arg(0)
		b, okB := arg(1)
		isPattern := len(a) > 1 && strings.HasPrefix(a, "/") && strings.HasSuffix(a, "/")
		if !okA || !okB || a == "" || isPattern || strings.Count(t, a)*len(b) > maxText {
			return "", false
		}
		return strings.ReplaceAll(t, a, b), true
	}
	return "", false
}

// format folds the verbs %s, %d and %v.
func (s *scope) format(args []*value, p place) *value {
	pattern := args[0].first()
	var b strings.Builder
	next := 1
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			continue
		}
		i++
		switch {
		case pattern[i] == '%':
			b.WriteByte('%')
		case strings.IndexByte("sdv", pattern[i]) >= 0 && next < len(args):
			b.WriteString(s.options(args[next])[0])
			next++
		default: // another verb, with flags perhaps: the rest is not known
			b.WriteString(gap)
			i = len(pattern)
		}
	}
	return textAt(s.fold(b.String()), p)
}
