package shell

import (
	"strconv"
	"strings"
)

// awkTexts is what the variables of an awk program may hold: every text that is
// assigned to one anywhere. Source: gawk's manual, "Expressions".
type awkTexts struct {
	c      *call
	tokens []awkToken
	vars   map[string]value
	// params and results are those of the program's own functions.
	params  map[string][]string
	results map[string]value
	depth   int
}

// awkRounds bounds how often a variable is taken to grow by itself.
const awkRounds = 3

// awkTextsOf goes through the assignments of a program; given are those of the
// command line.
func (c *call) awkTextsOf(tokens []awkToken, given map[string]value) *awkTexts {
	t := &awkTexts{c: c, tokens: tokens, vars: map[string]value{}, params: map[string][]string{}, results: map[string]value{}}
	for name, v := range given {
		t.vars[name] = v
	}
	for i, k := range tokens {
		if !k.string && (k.text == "function" || k.text == "func") && i+2 < len(tokens) && tokens[i+2].text == "(" {
			for j := i + 3; j < len(tokens) && tokens[j].text != ")"; j++ {
				if tokens[j].text != "," {
					t.params[tokens[i+1].text] = append(t.params[tokens[i+1].text], tokens[j].text)
				}
			}
		}
	}
	for range awkRounds {
		for i := range tokens {
			c.interp.step(1)
			t.assign(i)
		}
	}
	return t
}

// assign takes the assignment that begins at a token, if one does.
func (t *awkTexts) assign(i int) {
	k := t.tokens[i]
	switch {
	case k.string:
	case k.text == "return":
		if i > 0 {
			name := t.functionAround(i)
			t.results[name] = join(t.results[name], t.eval(t.tokens[i+1:]))
		}
	case len(t.params[k.text]) > 0 && t.is(i+1, "(") && !t.is(i-1, "function") && !t.is(i-1, "func"):
		for n, arg := range t.list(i + 2) {
			if n < len(t.params[k.text]) {
				t.add(t.params[k.text][n], t.eval(arg))
			}
		}
	case k.text == "split" && t.is(i+1, "("):
		if args := t.list(i + 2); len(args) > 1 && len(args[1]) > 0 {
			sep := ""
			if len(args) > 2 && len(args[2]) == 1 && args[2][0].string {
				sep = args[2][0].text
			}
			for _, s := range t.eval(args[0]) {
				parts := strings.Fields(s)
				if sep != "" && sep != " " {
					parts = strings.Split(s, sep)
				}
				t.add(args[1][0].text, value(parts[:min(len(parts), maxTurns)]))
			}
		}
	case (k.text == "sub" || k.text == "gsub") && t.is(i+1, "("):
		t.substitute(t.list(i + 2))
	case t.is(i+1, "in") && t.is(i-1, "(") && i+2 < len(t.tokens): // for (k in array)
		t.add(k.text, t.vars["["+t.tokens[i+2].text])
	case isNameByte(k.text[0]) || k.text[0] == '$':
		j := i + 1
		if t.is(j, "[") {
			j = t.closing(j) + 1
			if key := t.eval(t.tokens[i+2:]); t.is(i+1, "[") && len(key) > 0 {
				t.add("["+k.text, key)
			}
		}
		if t.is(j, "=") && !t.is(j+1, "=") && !t.is(j-1, "=") {
			t.add(k.text, t.eval(t.tokens[j+1:]))
		}
	}
}

func (t *awkTexts) is(i int, text string) bool {
	return i >= 0 && i < len(t.tokens) && !t.tokens[i].string && t.tokens[i].text == text
}

func (t *awkTexts) add(name string, v value) {
	if name != "" && name[0] == '$' {
		name = "$"
	}
	t.vars[name] = join(t.vars[name], v)
}

// functionAround is the name of the function in which a token stands.
func (t *awkTexts) functionAround(i int) string {
	for ; i > 0; i-- {
		if t.is(i-1, "function") || t.is(i-1, "func") {
			return t.tokens[i].text
		}
	}
	return ""
}

// closing is the place of the bracket that closes the one at a place.
func (t *awkTexts) closing(i int) int { return awkClosing(t.tokens, i) }

func awkClosing(tokens []awkToken, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		if tokens[i].string {
			continue
		}
		switch tokens[i].text {
		case "(", "[":
			depth++
		case ")", "]":
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(tokens)
}

// list are the arguments of a call, from behind its bracket on.
func (t *awkTexts) list(i int) [][]awkToken {
	var out [][]awkToken
	start := i
	for i < len(t.tokens) {
		switch {
		case t.is(i, "("), t.is(i, "["):
			i = t.closing(i)
		case t.is(i, ","):
			out = append(out, t.tokens[start:i])
			start = i + 1
		case t.is(i, ")"):
			return append(out, t.tokens[start:i])
		}
		i++
	}
	return nil
}

// substitute is sub and gsub of a text that is no pattern.
func (t *awkTexts) substitute(args [][]awkToken) {
	if len(args) < 3 || len(args[0]) != 1 || len(args[2]) == 0 {
		return
	}
	old := args[0][0].text
	if args[0][0].pattern != "" {
		old = args[0][0].pattern
	}
	name := args[2][0].text
	for _, with := range t.eval(args[1]) {
		for _, s := range t.vars[name] {
			if strings.ContainsAny(old, `\.[]()*+?{}|^$`) {
				if strings.Contains(plain(with), "/") {
					t.add(name, value{"/" + string([]byte{hole})})
				}
				continue
			}
			t.add(name, value{strings.ReplaceAll(s, old, with)})
		}
	}
}

// eval is what the expression may be with which some tokens begin.
func (t *awkTexts) eval(tokens []awkToken) value {
	if t.depth++; t.depth > 20 {
		t.depth--
		return unknown
	}
	defer func() { t.depth-- }()
	out, done := text(""), value{}
	for i := 0; i < len(tokens); {
		k := tokens[i]
		if !k.string {
			switch k.text {
			case ";", "}", "{", "\n", ")", "]", ",", "|", "|&", ">", ">>", "<", "~", "!", "&", "||", "in":
				return join(done, out)
			case "?", ":":
				if k.text == ":" {
					done = join(done, out)
				}
				out = text("")
				i++
				continue
			case "=": // what stands before it is not the value
				out = text("")
				i++
				continue
			case "+", "-", "*", "/", "%", "^":
				return join(done, unknown)
			}
		}
		v, n := t.term(tokens[i:])
		out = awkEach(concat(out, v), awkShort)
		i += n
	}
	return join(done, out)
}

// awkEach changes each text, with its holes.
func awkEach(v value, f func(string) string) value {
	var out value
	for _, s := range v {
		out = append(out, f(s))
	}
	return out
}

// awkShort cuts what is longer than a path: what was cut is not known.
func awkShort(s string) string {
	if len(s) > maxAwkText {
		return s[:maxAwkText] + string([]byte{hole})
	}
	return s
}

// maxAwkText bounds the texts that variables of awk may hold.
const maxAwkText = 1024

// term is one operand of a concatenation, and how many tokens it takes.
func (t *awkTexts) term(tokens []awkToken) (value, int) {
	k := tokens[0]
	t.c.interp.step(1)
	switch {
	case k.string:
		return value{k.text}, 1
	case k.text == "(":
		return t.eval(tokens[1:]), awkClosing(tokens, 0) + 1
	case k.text[0] == '$':
		n := 1
		if len(tokens) > 1 && k.text == "$" && tokens[1].text == "(" {
			n = awkClosing(tokens, 1) + 1
		}
		return join(t.vars["$"], t.fields()), n
	case len(tokens) > 1 && !tokens[1].string && tokens[1].text == "(":
		end := awkClosing(tokens, 1)
		inner := awkTexts{c: t.c, tokens: tokens[:min(end+1, len(tokens))], vars: t.vars, params: t.params, results: t.results, depth: t.depth}
		return inner.function(k.text, inner.list(2)), end + 1
	case len(tokens) > 1 && !tokens[1].string && tokens[1].text == "[":
		end := awkClosing(tokens, 1)
		if k.text == "ENVIRON" && len(tokens) > 2 && tokens[2].text == "HOME" {
			return text("~"), end + 1
		}
		return t.variable(k.text), end + 1
	case k.text[0] >= '0' && k.text[0] <= '9':
		return text(k.text), 1
	}
	return t.variable(k.text), 1
}

func (t *awkTexts) variable(name string) value {
	if v := t.vars[name]; len(v) > 0 {
		return v
	}
	return unknown
}

// fields are the words of the input, where it is known.
func (t *awkTexts) fields() value {
	out := value{}
	for _, s := range t.c.stdin {
		if hasHole(s) {
			return unknown
		}
		words := strings.Fields(plain(s))
		out = join(out, value(words[:min(len(words), maxTurns)]))
	}
	if len(out) == 0 {
		return unknown
	}
	return out
}

// function is what a call gives.
func (t *awkTexts) function(name string, args [][]awkToken) value {
	if v, ok := t.results[name]; ok {
		return v
	}
	if len(args) == 0 {
		return unknown
	}
	first := t.eval(args[0])
	switch name {
	case "tolower":
		return first.each(strings.ToLower)
	case "toupper":
		return first.each(strings.ToUpper)
	case "sprintf":
		for _, arg := range args[1:] {
			var out value
			for _, s := range first {
				before, after, ok := strings.Cut(s, "%")
				if verb := strings.TrimLeft(after, "-0123456789."); ok && verb != "" {
					out = join(out, awkEach(t.eval(arg), func(a string) string { return before + a + verb[1:] }))
				}
			}
			first = out
		}
		return first
	case "substr":
		if len(args) > 1 && len(args[1]) == 1 {
			if from, err := strconv.Atoi(args[1][0].text); err == nil && from > 0 {
				return awkEach(first, func(s string) string { return s[min(from-1, len(s)):] + string([]byte{hole}) })
			}
		}
	}
	out := unknown
	for _, s := range first { // made of a path: it begins with it, for all that is known
		if strings.HasPrefix(plain(s), "/") && len(s) > 1 {
			out = join(out, value{s + string([]byte{hole})})
		}
	}
	return out
}
