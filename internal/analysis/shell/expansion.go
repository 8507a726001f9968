package shell

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// maxPattern bounds texts and patterns that are matched.
const maxPattern = 4096

// replace expands ${x/pattern/text}.
func (in *interp) replace(sc *scope, r *syntax.Replace, v value) value {
	from, to := in.pattern(sc, r.Orig), in.text(sc, r.With)
	if len(from) != 1 || len(to) != 1 || hasHole(from[0]) {
		return value{prefix(v[0]) + worst(strings.Join(v, "")+strings.Join(to, ""))}
	}
	expr, mode := from[0], pattern.Mode(0)
	start, end := "", ""
	if !r.All && strings.HasPrefix(expr, "#") {
		start, expr = "^", expr[1:]
	} else if !r.All && strings.HasPrefix(expr, "%") {
		end, expr = "$", expr[1:]
	}
	re := in.compile(expr, mode, start, end)
	if re == nil {
		return v.each(worst)
	}
	return v.each(func(s string) string {
		in.step(1 + len(s)/256)
		if len(s) > maxPattern || strings.TrimSpace(expr) == "" && expr == "" {
			return s
		}
		p := plain(s)
		out := p
		if r.All {
			out = re.ReplaceAllLiteralString(p, to[0])
		} else if at := re.FindStringIndex(p); at != nil {
			out = p[:at[0]] + to[0] + p[at[1]:]
		}
		return keepMark(s, out)
	})
}

// keepMark gives a text the mark of the one that it was made from.
func keepMark(from, to string) string {
	if has(from, markDecoded) && !has(to, markDecoded) {
		return marked(to)
	}
	return to
}

// pattern gives a word as a pattern: quoted text is escaped.
func (in *interp) pattern(sc *scope, w *syntax.Word) value {
	out := text("")
	if w == nil {
		return out
	}
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.ExtGlob:
			return unknown
		case *syntax.Lit:
			out = concat(out, text(p.Value))
		case *syntax.SglQuoted, *syntax.DblQuoted:
			for _, pc := range in.pieces(sc, p, true) {
				for _, v := range pc.values {
					out = concat(out, v.each(func(s string) string { return pattern.QuoteMeta(plain(s), 0) }))
				}
			}
		default:
			for _, pc := range in.pieces(sc, p, true) {
				for _, v := range pc.values {
					out = concat(out, v)
				}
			}
		}
	}
	return out
}

// extended reports whether a pattern may be one that shopt extglob makes
// another.
func extended(p string) bool {
	for i := 1; i < len(p); i++ {
		if p[i] == '(' && strings.IndexByte("?*+@!", p[i-1]) >= 0 {
			return true
		}
	}
	return false
}

// compile makes a pattern a regular expression; nil: it is none.
func (in *interp) compile(p string, mode pattern.Mode, start, end string) *regexp.Regexp {
	p = plain(p)
	in.step(4 + len(p))
	if extended(p) {
		return nil
	}
	if len(p) > maxPattern {
		return nil
	}
	expr, err := pattern.Regexp(p, mode)
	if err != nil {
		return nil
	}
	re, err := regexp.Compile(start + expr + end)
	if err != nil {
		return nil
	}
	return re
}

// expansion expands ${x:-word} and its kin.
func (in *interp) expansion(sc *scope, p *syntax.ParamExp, name string, v value) value {
	e := p.Exp
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		w := in.text(sc, e.Word)
		out := otherwise(v, w)
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			in.assign(sc, in.at(p), name, out)
		}
		return out
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return join(text(""), in.text(sc, e.Word))
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		in.text(sc, e.Word)
		return v
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return in.strip(sc, e, v)
	case syntax.UpperAll, syntax.LowerAll, syntax.UpperFirst, syntax.LowerFirst:
		return in.letters(sc, e, v)
	case syntax.OtherParamOps:
		return in.transform(sc, p, v)
	}
	return value{worstOf(v)}
}

// otherwise is v where it is something, and w where it is empty or not known.
func otherwise(v, w value) value {
	out := value{}
	for _, s := range v {
		switch {
		case s == "":
			out = join(out, w)
		case s[0] >= holeFile:
			out = join(join(out, value{s}), w)
		default:
			out = join(out, value{s})
		}
	}
	return out
}

// strip removes what a pattern matches from an end.
func (in *interp) strip(sc *scope, e *syntax.Expansion, v value) value {
	expr := in.pattern(sc, e.Word)
	if len(expr) != 1 || hasHole(expr[0]) {
		return open(v.each(worst))
	}
	atStart := e.Op == syntax.RemSmallPrefix || e.Op == syntax.RemLargePrefix
	large := e.Op == syntax.RemLargePrefix || e.Op == syntax.RemLargeSuffix
	re := in.compile(expr[0], 0, "^(?s:", ")$")
	out := make(value, 0, len(v))
	for _, s := range v {
		out = append(out, in.stripOne(re, s, atStart, large))
	}
	return bounded(out)
}

func (in *interp) stripOne(re *regexp.Regexp, s string, atStart, large bool) string {
	if re == nil || len(s) > maxPattern {
		return worst(s)
	}
	if hasHole(s) {
		if atStart {
			return worst(s)
		}
		return prefix(s) + worst(s) // at most the end is gone
	}
	p := plain(s)
	in.step(1 + len(p)/8)
	if len(p) > 256 { // each end is tried
		return worst(s)
	}
	ends := make([]int, 0, len(p)+1)
	for i := range len(p) + 1 {
		if i == len(p) || utf8.RuneStart(p[i]) {
			ends = append(ends, i)
		}
	}
	if atStart == large {
		slices.Reverse(ends)
	}
	for _, i := range ends {
		if atStart && re.MatchString(p[:i]) {
			return keepMark(s, p[i:])
		}
		if !atStart && re.MatchString(p[i:]) {
			return keepMark(s, p[:i])
		}
	}
	return s
}

// letters changes the case.
func (in *interp) letters(sc *scope, e *syntax.Expansion, v value) value {
	if e.Word != nil && len(e.Word.Parts) > 0 {
		in.text(sc, e.Word)
		return v.each(worst)
	}
	return v.each(func(s string) string {
		in.step(1 + len(s)/256)
		p := plain(s)
		first, n := utf8.DecodeRuneInString(p)
		switch e.Op {
		case syntax.UpperAll:
			p = strings.ToUpper(p)
		case syntax.LowerAll:
			p = strings.ToLower(p)
		case syntax.UpperFirst:
			p = string(unicode.ToUpper(first)) + p[n:]
		default:
			p = string(unicode.ToLower(first)) + p[n:]
		}
		if s == "" {
			return s
		}
		return keepMark(s, p)
	})
}

// transform expands ${x@operator}.
func (in *interp) transform(sc *scope, p *syntax.ParamExp, v value) value {
	operator := ""
	if p.Exp.Word != nil {
		operator = p.Exp.Word.Lit()
	}
	switch operator {
	case "P": // a prompt: substitutions in the value are run
		out := value{}
		for _, s := range v {
			if s = decodeANSI(s); strings.ContainsAny(s, "$`") || hasHole(s) { // \044 is a $ there
				out = join(out, in.run(sc, in.at(p), value{"echo \"" + strings.ReplaceAll(plain(s), `"`, `\"`) + "\""}, "${"+p.Param.Value+"@P}", unknown))
			} else {
				out = join(out, value{s})
			}
		}
		return out
	case "E":
		return v.each(func(s string) string { return decodeANSI(plain(s)) })
	case "U":
		return v.each(func(s string) string { return keepMark(s, strings.ToUpper(plain(s))) })
	case "L":
		return v.each(func(s string) string { return keepMark(s, strings.ToLower(plain(s))) })
	case "Q", "K", "k":
		return v
	case "u":
		return v.each(func(s string) string {
			r, n := utf8.DecodeRuneInString(plain(s))
			return keepMark(s, string(unicode.ToUpper(r))+plain(s)[n:])
		})
	}
	return v.each(worst)
}
