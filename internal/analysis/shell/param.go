package shell

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

// parameter expands ${…}. It gives one value, or a list for "$@" and arrays.
func (in *interp) parameter(sc *scope, p *syntax.ParamExp, quoted bool) (values []value, list bool) {
	in.step(1)
	if p.Param == nil {
		return []value{unknown}, false
	}
	name := p.Param.Value
	if strings.HasPrefix(name, filler) {
		return []value{text(emptied(name))}, false
	}
	if p.Names != 0 { // ${!prefix*}: names of variables
		return []value{unknown}, false
	}
	if p.Excl && p.Index != nil {
		if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") { // the subscripts
			return in.keys(sc, name), true
		}
		return []value{unknown}, false
	}
	if p.Excl {
		return in.indirect(sc, p, name)
	}
	v := in.variable(sc, in.at(p), name)
	if p.Length {
		return []value{in.length(sc, p, v)}, false
	}
	values, list = in.subscript(sc, p, name, v)
	if p.Slice != nil && list {
		values = in.sliceList(sc, p.Slice, values, name)
		if quoted && (name == "*" || isStar(p.Index)) {
			return []value{in.joined(sc, values)}, false
		}
		return values, true
	}
	for i, one := range values {
		in.step(1)
		if p.Slice != nil {
			one = in.slice(sc, p.Slice, one)
		}
		if p.Repl != nil {
			one = in.replace(sc, p.Repl, one)
		}
		if p.Exp != nil {
			one = in.expansion(sc, p, name, one)
		}
		values[i] = one
	}
	if list && quoted && (name == "*" || isStar(p.Index)) {
		return []value{in.joined(sc, values)}, false
	}
	if list && len(values) == 0 && p.Exp != nil {
		return []value{in.expansion(sc, p, name, text(""))}, false
	}
	return values, list
}

// keys are the subscripts of an array.
func (in *interp) keys(sc *scope, name string) []value {
	v, ok := sc.lookup(name)
	if !ok || !v.array {
		return []value{unknown}
	}
	out := make([]value, len(v.list))
	if v.loose {
		return []value{unknown}
	}
	for i := range out {
		if v.keys != nil {
			out[i] = text(v.keys[i])
		} else {
			out[i] = text(itoa(i))
		}
	}
	return out
}

func isStar(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && w.Lit() == "*"
}

// joined is "$*": the values with the first separator between them.
func (in *interp) joined(sc *scope, values []value) value {
	out, between := text(""), in.separators(sc)
	if len(between) > 1 {
		_, n := utf8.DecodeRuneInString(between)
		between = between[:n]
	}
	for i, v := range values {
		in.step(1 + len(out[0])/512)
		if i > 0 {
			out = concat(out, text(between))
		}
		out = concat(out, v)
	}
	return out
}

// indirect expands ${!name}: the variable whose name another one holds.
func (in *interp) indirect(sc *scope, p *syntax.ParamExp, name string) ([]value, bool) {
	out, v := value{}, in.variable(sc, in.at(p), name)
	for _, s := range v.value {
		base, index, isElement := strings.Cut(strings.TrimSuffix(plain(s), "]"), "[")
		switch {
		case hasHole(s) || !syntax.ValidName(base):
			out = join(out, value{worst(s)})
		case isElement && (index == "@" || index == "*"):
			return slices.Clone(in.variable(sc, in.at(p), base).all()), true
		case isElement:
			out = join(out, in.variable(sc, in.at(p), base).element(index))
		default:
			out = join(out, in.variable(sc, in.at(p), base).value)
		}
	}
	if len(out) == 0 {
		out = unknown
	}
	if p.Exp != nil {
		out = in.expansion(sc, p, name, out)
	}
	return []value{out}, false
}

// variable gives what a name stands for: a variable of the program, one of the
// shell, or one that may come from outside.
func (in *interp) variable(sc *scope, p place, name string) variable {
	if v, ok := in.special(sc, name); ok {
		return v
	}
	if v, ok := sc.lookup(name); ok && !dynamic(name) {
		if v.value == nil {
			v.value = text("")
			if len(v.list) > 0 {
				v.value = v.element("0")
			}
		}
		return v
	}
	if dynamic(name) {
		return variable{value: unknown, unset: true}
	}
	switch name {
	case "HOME":
		return variable{value: text("~")}
	case "PWD":
		v, _ := sc.lookup(keyFolder)
		return v
	case "OLDPWD", "HOSTNAME", "BASH_VERSION", "SHLVL", "COLUMNS", "LINES", "REPLY", "OPTARG", "OPTIND", "HOSTTYPE", "OSTYPE", "MACHTYPE",
		"TMPDIR", "USER", "LOGNAME", "LANG", "TERM":
		return variable{value: unknown, unset: true}
	case "PATH":
		return variable{value: text("/usr/local/bin:/usr/bin:/bin")}
	case "SHELL", "BASH":
		return variable{value: text("/bin/bash")}
	case "IFS":
		return variable{value: text(" \t\n")}
	}
	in.fact(p, analysis.Fact{Capability: palisade.CapEnvironment, Symbol: "$" + name, Argument: name, Evidence: "no part of the program sets " + name})
	return variable{value: value{"", string([]byte{holeInput})}, unset: true}
}

// dynamic reports whether the shell itself gives a variable its value, whatever
// the program assigns. Source: Bash's manual, Bash Variables.
func dynamic(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "LINENO", "UID", "EUID", "PPID", "BASHPID", "BASH_REMATCH", "PIPESTATUS",
		"FUNCNAME", "BASH_SOURCE", "BASH_LINENO", "BASH_COMMAND", "BASH_SUBSHELL", "BASH_ARGV", "BASH_ARGC", "BASH_EXECUTION_STRING", "GROUPS",
		"DIRSTACK", "HISTCMD", "COMP_LINE", "COMP_WORDS", "READLINE_LINE", "COPROC":
		return true
	}
	return false
}

// special gives the special and positional parameters.
func (in *interp) special(sc *scope, name string) (variable, bool) {
	arguments, given := sc.lookup(keyArguments)
	switch name {
	case "@", "*":
		if !given {
			return variable{array: true, list: []value{{string([]byte{holeInput})}}}, true
		}
		return arguments, true
	case "#":
		if !given || arguments.loose {
			return variable{value: unknown}, true
		}
		return variable{value: text(itoa(len(arguments.list)))}, true
	case "?", "$", "!", "_":
		return variable{value: unknown}, true
	case "-":
		return variable{value: text("hB")}, true
	case "0":
		if v, ok := sc.lookup(keyName); ok {
			return v, true
		}
		return variable{value: text("bash")}, true
	}
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 {
		return variable{}, false
	}
	if !given {
		return variable{value: value{"", string([]byte{holeInput})}, unset: true}, true
	}
	if arguments.loose {
		return variable{value: join(text(""), arguments.any())}, true
	}
	if n > len(arguments.list) {
		return variable{value: text(""), unset: true}, true
	}
	return variable{value: arguments.list[n-1]}, true
}

// subscript picks from an array.
func (in *interp) subscript(sc *scope, p *syntax.ParamExp, name string, v variable) (values []value, list bool) {
	if name == "@" || name == "*" {
		return slices.Clone(v.list), true
	}
	if p.Index == nil {
		return []value{v.value}, false
	}
	switch key := in.index(sc, p.Index, v); {
	case len(key) == 1 && (key[0] == "@" || key[0] == "*"):
		return slices.Clone(v.all()), true
	default:
		out := value{}
		for _, k := range key {
			if hasHole(k) {
				out = join(out, v.any())
			} else {
				out = join(out, v.element(plain(k)))
			}
		}
		return []value{out}, false
	}
}

// index gives the subscripts that an expression in brackets may be.
func (in *interp) index(sc *scope, x syntax.ArithmExpr, v variable) value {
	w, isWord := x.(*syntax.Word)
	if isWord {
		if l := w.Lit(); l == "@" || l == "*" {
			return text(l)
		}
		if v.keys != nil {
			return in.text(sc, w)
		}
	}
	return in.arithmetic(sc, x)
}

func (in *interp) length(sc *scope, p *syntax.ParamExp, v variable) value {
	if v.loose {
		return unknown
	}
	if v.array && p.Index != nil {
		if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
			return text(itoa(len(v.list)))
		}
	}
	out := v.value.each(func(s string) string { return itoa(utf8.RuneCountInString(plain(s))) })
	for i, s := range out {
		if hasHole(s) {
			out[i] = unknown[0] // a number all the same
		}
	}
	return out
}

func (in *interp) sliceList(sc *scope, s *syntax.Slice, values []value, name string) []value {
	from, ok := in.number(sc, s.Offset)
	size := len(values)
	if s.Length != nil {
		var okLength bool
		size, okLength = in.number(sc, s.Length)
		ok = ok && okLength
	}
	if !ok {
		return values
	}
	if name == "@" || name == "*" {
		from = max(from-1, 0) // ${@:1} begins with $1
	}
	if from < 0 {
		from += len(values)
	}
	if from < 0 || from > len(values) {
		return nil
	}
	end := from + size
	if size < 0 {
		end = len(values) + size
	}
	return values[from:max(from, min(end, len(values)))]
}

func (in *interp) slice(sc *scope, s *syntax.Slice, v value) value {
	from, ok := in.number(sc, s.Offset)
	size, sized := 0, s.Length != nil
	if sized {
		var okLength bool
		size, okLength = in.number(sc, s.Length)
		ok = ok && okLength
	}
	return v.each(func(t string) string {
		if !ok {
			return worst(t)
		}
		r := []rune(plain(t))
		start := from
		if start < 0 {
			start += len(r)
		}
		if start < 0 || start > len(r) {
			return ""
		}
		end := len(r)
		if sized && size >= 0 {
			end = min(start+size, len(r))
		} else if sized {
			end = max(start, len(r)+size)
		}
		return keepMark(t, string(r[start:end]))
	})
}

// number is the one number that an expression is.
func (in *interp) number(sc *scope, x syntax.ArithmExpr) (int, bool) {
	if x == nil {
		return 0, true
	}
	s, ok := in.arithmetic(sc, x).only()
	n, err := strconv.Atoi(s)
	return n, ok && err == nil
}
