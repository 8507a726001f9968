package js

import (
	"regexp"
	"strings"
	"sync"

	"palisade"
	"palisade/internal/analysis"
)

// applyCode reports a text that is run as code.
func (i *interpreter) applyCode(path string, f effect, args arguments, n *node) {
	k := f.arg
	if f.does == "function" || f.does == "walk" {
		k = max(len(args.list)-1, 0) // new Function(...parameters, body)
	}
	if f.does == "walk" {
		i.report(fact{capability: palisade.CapIntrospect, symbol: path}, n)
	}
	s := anything
	if k >= 0 && !args.missing(k) && len(args.at(k)) > 0 {
		s = args.at(k)
	}
	for _, v := range s {
		switch {
		case v.what == constant:
			i.report(fact{capability: palisade.CapEvaluate, symbol: path, argument: v.s, kind: analysis.KindText}, n)
			i.embed(palisade.JavaScript, "", body(v.s, f.does, args), display(path), n)
			if v.built && decoded(v.s, i.program.text) {
				i.report(fact{
					capability: palisade.CapObfuscation, symbol: path, kind: analysis.KindText,
					evidence: "the code is decoded by the program: " + clip(v.s),
				}, n)
			}
		case v.what == thing && path == "eval": // eval of what is not a string gives it back
		default:
			i.report(fact{capability: palisade.CapEvaluate, symbol: path, unknown: true, kind: analysis.KindComputed}, n)
		}
	}
}

// body is the program that a text becomes.
func body(text, does string, args arguments) string {
	if does != "function" && does != "walk" {
		return text
	}
	var params []string
	for k := 0; k < len(args.list)-1; k++ {
		p, computed := single(args.list[k])
		if computed {
			return text
		}
		params = append(params, p)
	}
	return "(function anonymous(" + strings.Join(params, ",") + "\n) {\n" + text + "\n})"
}

// decoded reports whether a text does not stand in the program as it is.
func decoded(s, program string) bool { return len(s) > 2 && !strings.Contains(program, s) }

func clip(s string) string {
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

var codeLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\breturn\b|\bprocess\b|\brequire\b|\bthis\b|[({]`)
})

// maybeCode reports a call of x.constructor, where x may be a function, with
// what may be code.
func (i *interpreter) maybeCode(path string, args arguments, n *node) {
	if len(args.list) == 0 {
		return
	}
	for _, v := range args.list[len(args.list)-1] {
		if v.what == constant && codeLike().MatchString(v.s) {
			i.report(fact{capability: palisade.CapIntrospect, symbol: functionByWalk, kind: analysis.KindComputed}, n)
			i.report(fact{capability: palisade.CapEvaluate, symbol: path, argument: v.s, kind: analysis.KindText}, n)
			i.embed(palisade.JavaScript, "", body(v.s, "function", args), display(path), n)
		}
	}
}

// embed hands a program inside the program to the reader of its language.
func (i *interpreter) embed(language palisade.Language, dialect, source, via string, n *node) {
	if !i.reporting || strings.TrimSpace(source) == "" {
		return
	}
	if len(i.embedded) >= maxEmbedded {
		panic(spent{"embedded programs"})
	}
	i.embedded = append(i.embedded, analysis.Embedded{
		Language: language, Dialect: dialect, Source: source, Via: via, Column: n.pos,
	})
}

// maxEmbedded bounds the programs inside one program.
const maxEmbedded = 200

// applyQuery takes a query for a database.
func (i *interpreter) applyQuery(path string, f effect, args arguments, n *node) {
	s := args.at(f.arg)
	if len(s) == 0 {
		s = anything
	}
	for _, v := range s {
		if v.what == thing { // {text, values}, {sql, values}
			for _, name := range []string{"text", "sql"} {
				if q := v.obj.props[name]; q != nil {
					i.query(path, f, q.value.values, n)
				}
			}
			if v.obj.props["raw"] != nil { // a tagged template: its values are parameters
				if parts, ok := v.obj.join("?"); ok {
					i.query(path, f, str(parts), n)
				}
			}
			continue
		}
		i.query(path, f, v.set(), n)
	}
}

func (i *interpreter) query(path string, f effect, s set, n *node) {
	for _, v := range s {
		if v.what == constant {
			i.embed(palisade.SQL, f.dialect, v.s, display(path), n)
			continue
		}
		i.report(fact{
			capability: palisade.CapUnresolved, symbol: path, unknown: true, kind: analysis.KindText, argument: v.s,
			evidence: "a query is computed: " + i.source(n),
		}, n)
	}
}

// statementText takes a query that is given to a client which was not
// recognized: a method whose name says so, and a text that is one.
func (i *interpreter) statementText(_ value, name string, args arguments, n *node) {
	if !i.reporting {
		return
	}
	switch name {
	case "query", "execute", "prepare", "exec", "raw", "unsafe", "$queryRawUnsafe", "$executeRawUnsafe":
	default:
		return
	}
	for _, v := range args.at(0) {
		if v.what == constant && sqlLike().MatchString(v.s) {
			i.embed(palisade.SQL, "", v.s, name, n)
		}
	}
}

var sqlLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)^\s*(select\s.*\sfrom|insert\s+into|update\s+\S+\s+set|delete\s+from|drop|alter|create|truncate|grant|revoke|with|copy|attach|pragma|vacuum|call|do|exec|merge|replace\s+into|set|show|use|load)\b`)
})
