package shell

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"palisade"
)

const (
	// maxFields bounds the fields of one command.
	maxFields = 4096
	// maxVectors bounds the ways in which one command line may come out.
	maxVectors = 16
)

// fields are the arguments that a word becomes. A word may become one of
// several lists.
type fields []string

// piece is a part of a word on its way to becoming fields.
type piece struct {
	// values are one value, or those of "$@" and of arrays, each a field.
	values []value
	list   bool
	// quoted parts are neither split nor patterns; literal ones are not split.
	quoted, literal bool
}

// words gives the argument lists that some words may become.
func (in *interp) words(sc *scope, list []*syntax.Word) []fields {
	out := []fields{nil}
	for _, w := range list {
		for _, one := range in.braces(w) {
			lists := in.word(sc, one)
			in.listed(sc, w, lists)
			out = product(out, lists)
			if len(out[0]) > maxFields {
				return cut(out)
			}
		}
	}
	return out
}

// listed reports the folders that patterns list outside of where the shell is,
// whatever becomes of their names.
func (in *interp) listed(sc *scope, w *syntax.Word, lists []fields) {
	for _, list := range lists {
		for _, f := range list {
			if isPattern(f) && (strings.HasPrefix(f, "/") || strings.Contains(f, "..")) {
				in.path(sc, in.at(w), palisade.CapReadPath, f, "a pattern of files")
			}
		}
	}
}

func cut(lists []fields) []fields {
	out := make([]fields, 0, len(lists))
	for _, l := range lists {
		if len(l) > maxFields {
			l = append(l[:maxFields:maxFields], unknown[0])
		}
		out = append(out, l)
	}
	return out
}

// product puts each list of b behind each of a. Where there would be too many,
// each of either is still in one.
func product(a, b []fields) []fields {
	if len(b) == 1 {
		for i := range a {
			a[i] = append(a[i], b[0]...)
		}
		return a
	}
	n := len(a) * len(b)
	if n > maxVectors {
		n = max(len(a), len(b))
	}
	out := make([]fields, n)
	for i := range n {
		j := i / len(a)
		if len(a)*len(b) > maxVectors {
			j = i
		}
		out[i] = append(slices.Clone(a[i%len(a)]), b[j%len(b)]...)
	}
	return out
}

// braces expands {a,b} and {1..9}.
func (in *interp) braces(w *syntax.Word) []*syntax.Word {
	in.step(1)
	switch n := countBraces(w); {
	case n == 0:
		return []*syntax.Word{w}
	case n > maxBraces:
		panic(stop{errBraces})
	}
	split := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{w}
	}
	var out []*syntax.Word
	for one, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(out) > maxFields {
			break
		}
		in.step(1)
		out = append(out, one)
	}
	return out
}

// maxBraces bounds the braces that one word opens: the time and the memory that
// it takes to split them grow with their square.
const maxBraces = 200

var errBraces = errors.New("a word with more braces than are read")

func countBraces(w *syntax.Word) int {
	n := 0
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			n += strings.Count(l.Value, "{")
		}
	}
	return n
}

// word gives the lists of fields that one word may become, without braces.
func (in *interp) word(sc *scope, w *syntax.Word) []fields {
	parts := []partial{{}}
	for _, p := range w.Parts {
		parts = in.extend(sc, parts, in.pieces(sc, p, false))
	}
	out := make([]fields, 0, len(parts))
	for _, p := range parts {
		if f := p.finish(); !slices.ContainsFunc(out, func(g fields) bool { return slices.Equal(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}

// partial is a word that is being made: whole fields, and one that goes on.
type partial struct {
	done fields
	last string
	some bool // the last one is a field even if it is empty
}

func (p partial) finish() fields {
	out := p.done
	if p.last != "" || p.some {
		out = append(slices.Clone(p.done), p.last)
	}
	for i, f := range out {
		out[i] = markLast(settle(f))
	}
	return out
}

// settle makes text of brackets that nothing closes: [ is a command.
func settle(s string) string {
	open := strings.LastIndexByte(s, globClass)
	if open < 0 || strings.IndexByte(s[open:], ']') >= 0 {
		return s
	}
	return settle(s[:open]) + "[" + s[open+1:]
}

// extend appends pieces to each way in which the word may begin.
func (in *interp) extend(sc *scope, parts []partial, pieces []piece) []partial {
	separators := in.separators(sc)
	for _, pc := range pieces {
		switch {
		case pc.list && len(pc.values) == 0:
			continue
		case pc.list:
			for i, v := range pc.values {
				in.step(1)
				if i > 0 {
					for j := range parts {
						parts[j] = partial{done: append(slices.Clone(parts[j].done), parts[j].last)}
					}
				}
				parts = extendValue(parts, v, pc, separators)
				if i > maxFields {
					break
				}
			}
		default:
			in.step(1 + len(parts[0].last)/512)
			parts = extendValue(parts, pc.values[0], pc, separators)
		}
	}
	return parts
}

// extendValue appends a value, each of whose texts may be the one.
func extendValue(parts []partial, v value, pc piece, separators string) []partial {
	if len(v)*len(parts) > maxVectors { // too many ways: one that is unknown
		all := strings.Join(v, "")
		for _, p := range parts {
			all += p.last
		}
		var done fields
		for _, p := range parts {
			if len(p.done) > len(done) {
				done = p.done
			}
		}
		return []partial{{done: done, last: worst(all), some: true}}
	}
	out := make([]partial, 0, len(v)*len(parts))
	for _, p := range parts {
		for _, s := range v {
			out = append(out, p.with(s, pc, separators))
		}
	}
	return out
}

// with appends one text, split at separators where the shell would.
func (p partial) with(s string, pc piece, separators string) partial {
	if len(p.last)+len(s) > maxText {
		s = worst(p.last + s)
		p.last = p.last[:min(len(p.last), 1024)]
	}
	switch {
	case pc.quoted:
		return partial{p.done, meld(p.last, s), true}
	case pc.literal:
		return partial{p.done, meld(p.last, activate(s)), p.some}
	case !strings.ContainsAny(s, separators):
		return partial{p.done, meld(p.last, activate(s)), p.some}
	}
	out := partial{slices.Clone(p.done), p.last, p.some}
	for i, f := range strings.FieldsFunc("\x01"+s+"\x01", func(r rune) bool { return strings.ContainsRune(separators, r) && r != '\uFFFD' }) {
		f = activate(strings.ReplaceAll(f, "\x01", ""))
		if i == 0 {
			out.last = meld(out.last, f)
			continue
		}
		if out.last != "" || out.some {
			out.done = append(out.done, out.last)
		}
		out.last, out.some = f, false
	}
	return out
}

// separators are what unquoted expansions are split at.
func (in *interp) separators(sc *scope) string {
	v, ok := sc.lookup("IFS")
	if !ok || v.value == nil {
		return " \t\n"
	}
	all := ""
	for _, s := range v.value {
		if hasHole(s) {
			return " \t\n"
		}
		all += plain(s)
	}
	return all
}

// text gives what a word becomes where it is neither split nor a pattern.
func (in *interp) text(sc *scope, w *syntax.Word) value {
	out := text("")
	if w == nil {
		return out
	}
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			out = in.append(out, literal(l.Value))
			continue
		}
		out = in.append(out, in.pieces(sc, p, true))
	}
	return out
}

// document gives what the body of a here-document becomes.
func (in *interp) document(sc *scope, w *syntax.Word) value {
	out := text("")
	for _, p := range w.Parts {
		out = in.append(out, in.pieces(sc, p, true))
	}
	return out
}

func (in *interp) append(v value, pieces []piece) value {
	for _, pc := range pieces {
		for i, next := range pc.values {
			if i > 0 {
				next = concat(text(" "), next)
			}
			v = concat(v, next)
			in.step(1 + len(v[0])/512)
		}
	}
	return v
}

// pieces gives what a part of a word stands for.
func (in *interp) pieces(sc *scope, p syntax.WordPart, quoted bool) []piece {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			return []piece{{values: []value{text(emptied(unescapeQuoted(p.Value)))}, quoted: true}}
		}
		return literal(p.Value)
	case *syntax.SglQuoted:
		if p.Dollar {
			return []piece{{values: []value{text(decodeANSI(emptied(p.Value)))}, quoted: true}}
		}
		return []piece{{values: []value{text(emptied(p.Value))}, quoted: true}}
	case *syntax.DblQuoted:
		return in.quotedPieces(sc, p)
	case *syntax.ParamExp:
		values, list := in.parameter(sc, p, quoted)
		return []piece{{values: values, list: list, quoted: quoted}}
	case *syntax.CmdSubst:
		return []piece{{values: []value{in.substitute(sc, p)}, quoted: quoted}}
	case *syntax.ArithmExp:
		return []piece{{values: []value{in.arithmetic(sc, p.X)}, quoted: quoted}}
	case *syntax.ProcSubst:
		return []piece{{values: []value{in.processSubstitution(sc, p)}, quoted: true}}
	case *syntax.ExtGlob:
		return []piece{{values: []value{text("*")}, literal: true}}
	default:
		return []piece{{values: []value{unknown}, quoted: quoted}}
	}
}

func (in *interp) quotedPieces(sc *scope, q *syntax.DblQuoted) []piece {
	out := []piece{{values: []value{text("")}, quoted: true}}
	if len(q.Parts) == 1 {
		// "$@" alone may become no field at all.
		if pe, ok := q.Parts[0].(*syntax.ParamExp); ok {
			values, list := in.parameter(sc, pe, true)
			return []piece{{values: values, list: list, quoted: true}}
		}
	}
	for _, p := range q.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			out = append(out, piece{values: []value{text(emptied(unescapeQuoted(l.Value)))}, quoted: true})
			continue
		}
		out = append(out, in.pieces(sc, p, true)...)
	}
	return out
}

// substitute runs a command substitution.
func (in *interp) substitute(sc *scope, c *syntax.CmdSubst) value {
	in.step(1)
	layer := sc.layer()
	out := in.statements(layer, c.Stmts, value{string([]byte{holeInput})})
	if c.ReplyVar || c.TempFile { // runs in the shell itself
		layer.commit()
	}
	trimmed := make(value, 0, len(out))
	for _, s := range out {
		if t := strings.TrimRight(s, "\n"); !slices.Contains(trimmed, t) {
			trimmed = append(trimmed, t)
		}
	}
	return trimmed
}

// processSubstitution runs one and names its pipe, whose content is known.
func (in *interp) processSubstitution(sc *scope, p *syntax.ProcSubst) value {
	name := "/dev/fd/63-" + itoa(int(p.OpPos.Offset()))
	out := in.statements(sc.layer(), p.Stmts, unknown)
	if p.Op == syntax.CmdIn {
		in.files[name] = out
	}
	return text(name)
}
