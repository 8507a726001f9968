package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

const (
	// maxTurns bounds how often the body of a loop is read turn by turn, with
	// the loops around it.
	maxTurns = 64
	// maxWeight bounds how often the body of a loop is read for what changes
	// from turn to turn, with the loops around it.
	maxWeight = 27
)

// statements interprets statements one after the other and gives what they
// print together.
func (in *interp) statements(sc *scope, list []*syntax.Stmt, stdin value) value {
	out := text("")
	for _, s := range list {
		out = concat(out, in.statement(sc, s, stdin))
	}
	return out
}

// statement interprets one statement and gives what it prints.
func (in *interp) statement(sc *scope, s *syntax.Stmt, stdin value) value {
	in.step(1)
	if s.Background || s.Coprocess || s.Disown {
		sc = sc.layer() // a subshell: its changes are lost
	}
	if c, ok := s.Cmd.(*syntax.CallExpr); ok {
		return in.call(sc, s, c, stdin) // its redirections depend on what it runs
	}
	stdin, sinks := in.redirections(sc, s.Redirs, stdin)
	out := text("")
	switch {
	case s.Cmd != nil:
		out = in.command(sc, s.Cmd, stdin)
	case len(s.Redirs) > 0: // $(< file)
		out = stdin
	}
	return in.sink(out, sinks)
}

// command interprets a compound command.
func (in *interp) command(sc *scope, c syntax.Command, stdin value) value {
	switch c := c.(type) {
	case *syntax.Block:
		return in.statements(sc, c.Stmts, stdin)
	case *syntax.Subshell:
		return in.statements(sc.layer(), c.Stmts, stdin)
	case *syntax.BinaryCmd:
		return in.pair(sc, c, stdin)
	case *syntax.IfClause:
		return in.conditional(sc, c, stdin)
	case *syntax.CaseClause:
		return in.cases(sc, c, stdin)
	case *syntax.ForClause:
		return in.loop(sc, c, stdin)
	case *syntax.WhileClause:
		return in.repeat(sc, stdin, func(layer *scope, stdin value) value {
			return concat(in.statements(layer, c.Cond, stdin), in.statements(layer, c.Do, stdin))
		})
	case *syntax.FuncDecl:
		if c.Name == nil { // a function without a name is none of this language
			panic(stop{&analysis.SyntaxError{Line: in.at(c).line, Column: in.at(c).column, Message: "a function without a name"}})
		}
		in.define(in.at(c), c.Name.Value, c.Body)
	case *syntax.DeclClause:
		in.declare(sc, c)
	case *syntax.TestClause:
		in.test(sc, c.X)
	case *syntax.ArithmCmd:
		in.evaluate(sc, c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			in.evaluate(sc, x)
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return in.statement(sc, c.Stmt, stdin)
		}
	case *syntax.CoprocClause:
		return in.statement(sc.layer(), c.Stmt, stdin)
	default:
		in.unresolved(in.at(c), "syntax", "a construct that is not known")
	}
	return text("")
}

// pair interprets a pipe, or two commands of which the second may run.
func (in *interp) pair(sc *scope, c *syntax.BinaryCmd, stdin value) value {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		between := in.statement(sc.layer(), c.X, stdin)
		last := sc.layer()
		out := in.statement(last, c.Y, between)
		if in.lastPipe { // it may run in the shell itself
			sc.merge(sc.layer(), last)
		}
		return out
	}
	out := in.statement(sc, c.X, stdin)
	second := sc.layer()
	more := in.statement(second, c.Y, stdin)
	sc.merge(sc.layer(), second)
	return join(out, concat(out, more))
}

// conditional takes every branch.
func (in *interp) conditional(sc *scope, c *syntax.IfClause, stdin value) value {
	out := in.statements(sc, c.Cond, stdin)
	then, other := sc.layer(), sc.layer()
	a, b := in.statements(then, c.Then, stdin), text("")
	if c.Else != nil {
		b = in.command(other, c.Else, stdin)
	}
	sc.merge(then, other)
	return concat(out, join(a, b))
}

// cases takes every branch, and none.
func (in *interp) cases(sc *scope, c *syntax.CaseClause, stdin value) value {
	in.text(sc, c.Word)
	out := text("")
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			in.text(sc, p)
		}
		layer := sc.layer()
		out = join(out, in.statements(layer, item.Stmts, stdin))
		sc.merge(sc.layer(), layer)
	}
	return out
}

// loop interprets for and select: turn by turn over words that are known.
func (in *interp) loop(sc *scope, c *syntax.ForClause, stdin value) value {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		style := c.Loop.(*syntax.CStyleLoop)
		in.evaluateSome(sc, style.Init)
		return in.counted(sc, style, c.Do, stdin)
	}
	name := words.Name.Value
	if c.Select {
		sc.set("REPLY", variable{value: unknown})
	}
	var lists []fields
	if words.InPos.IsValid() || len(words.Items) > 0 {
		lists = in.words(sc, words.Items)
	} else {
		v, _ := in.special(sc, "@")
		lists = []fields{firsts(v.list)}
	}
	if turns := len(lists[0]); len(lists) == 1 && turns*in.weight <= maxTurns && !c.Select && !slices.ContainsFunc(lists[0], open1) {
		in.weight *= max(turns, 1)
		defer func() { in.weight /= max(turns, 1) }()
		out := text("")
		after := in.within(sc, 'l', func(layer *scope) {
			for _, item := range lists[0] {
				in.step(1)
				in.within(layer, 'c', func(turn *scope) {
					in.assign(turn, in.at(c), name, value{item})
					out = concat(out, in.statements(turn, c.Do, stdin))
				}).keep()
			}
		})
		after.keep()
		return out
	}
	all := value{}
	for _, l := range lists {
		for _, item := range l {
			in.step(1)
			if isPattern(item) {
				item = matched(item)
			}
			all = join(all, value{item})
		}
	}
	if len(all) == 0 {
		all = text("")
	}
	return in.repeat(sc, stdin, func(layer *scope, stdin value) value {
		in.assign(layer, in.at(c), name, all)
		return in.statements(layer, c.Do, stdin)
	})
}

// open1 reports whether a field may become several.
func open1(s string) bool { return hasHole(s) || isPattern(s) }

// matched is what a pattern of files may match.
func matched(s string) string {
	for i := range len(s) {
		if s[i] >= globStar && s[i] <= globClass {
			return s[:i] + worst(s)
		}
	}
	return s
}

func firsts(list []value) fields {
	out := make(fields, 0, len(list))
	for _, v := range list {
		out = append(out, squash(v))
	}
	return out
}

func (in *interp) evaluateSome(sc *scope, x syntax.ArithmExpr) {
	if x != nil {
		in.evaluate(sc, x)
	}
}

// counted interprets a C-style loop: turn by turn while the condition is known
// to hold, and in general where that takes too long.
func (in *interp) counted(sc *scope, c *syntax.CStyleLoop, body []*syntax.Stmt, stdin value) value {
	out := text("")
	in.within(sc, 'l', func(layer *scope) { out = in.countedTurns(layer, c, body, stdin) }).keep()
	return out
}

func (in *interp) countedTurns(sc *scope, c *syntax.CStyleLoop, body []*syntax.Stmt, stdin value) value {
	out := text("")
	for range maxTurns / in.weight {
		n, ok := int64(1), false
		if c.Cond != nil {
			n, ok = in.evaluate(sc, c.Cond)
		}
		if !ok {
			break
		}
		if n == 0 {
			return out
		}
		in.within(sc, 'c', func(turn *scope) { out = concat(out, in.statements(turn, body, stdin)) }).keep()
		in.evaluateSome(sc, c.Post)
	}
	return concat(out, in.repeat(sc, stdin, func(layer *scope, stdin value) value {
		out := text("")
		in.within(layer, 'c', func(turn *scope) { out = in.statements(turn, body, stdin) }).keep()
		in.evaluateSome(layer, c.Post)
		in.evaluateSome(layer, c.Cond)
		return out
	}))
}

// repeat interprets a body that runs any number of times: twice, and once more
// with whatever changed between the turns made to stand for all of them. Deep
// inside other loops what the first turn changed stands for all turns at once.
func (in *interp) repeat(sc *scope, stdin value, body func(*scope, value) value) value {
	out := text("")
	in.within(sc, 'l', func(layer *scope) { out = in.turns(layer, stdin, body) }).keep()
	return out
}

func (in *interp) turns(sc *scope, stdin value, once func(*scope, value) value) value {
	body := func(layer *scope, stdin value) (out value) {
		in.within(layer, 'c', func(turn *scope) { out = once(turn, stdin) }).keep()
		return out
	}
	in.weight *= 3
	defer func() { in.weight /= 3 }()
	first := sc.layer()
	out := body(first, stdin)
	before, last := sc, first
	if in.weight <= maxWeight {
		before, last = first, first.layer()
		out = concat(out, body(last, stdin))
	}
	wide := sc.layer()
	changed := false
	for name, y := range last.vars {
		x, ok := before.direct(name)
		if !ok {
			x = variable{value: text(""), unset: true}
		}
		if ok && !differ(x, y) {
			continue
		}
		changed = true
		wide.vars[name] = widen(x, y)
	}
	for name, x := range first.vars {
		if _, done := wide.vars[name]; !done {
			wide.vars[name] = x
		}
	}
	if changed {
		body(wide, stdin)
	}
	sc.merge(sc.layer(), first)
	sc.merge(sc.layer(), wide)
	return join(text(""), open(out))
}

// test looks at [[ … ]]: what its words run, and what it would evaluate.
func (in *interp) test(sc *scope, x syntax.TestExpr) {
	in.step(1)
	switch x := x.(type) {
	case *syntax.BinaryTest:
		in.test(sc, x.X)
		in.test(sc, x.Y)
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					in.evaluated(sc, in.at(w), in.text(sc, w), 0)
				}
			}
		}
	case *syntax.UnaryTest:
		in.test(sc, x.X)
		if w, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			in.subscripts(sc, in.at(w), in.text(sc, w))
		}
	case *syntax.ParenTest:
		in.test(sc, x.X)
	case *syntax.Word:
		in.text(sc, x)
	}
}

// subscripts looks at names of variables that the shell evaluates: those with a
// subscript can run commands.
func (in *interp) subscripts(sc *scope, p place, names value) {
	for _, s := range names {
		t := plain(s)
		if hasHole(s) && prefix(t) == "" {
			in.fact(p, analysis.Fact{
				Capability: palisade.CapEvaluate, Symbol: "variable name", Unknown: true, Kind: analysis.KindText,
				Evidence: "the name of a variable is computed: a subscript in it may run commands",
			})
		} else if slices.ContainsFunc([]byte(t), func(c byte) bool { return c == '$' || c == '`' }) {
			in.run(sc, p, value{": $((" + t + "))"}, "subscript", unknown)
		}
	}
}
