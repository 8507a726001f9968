package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// awk runs a program that can run commands and read and write files. Source:
// POSIX awk and gawk's manual: system, pipes, redirections, getline, @load,
// /inet.
func (c *call) awk(_ row) value {
	r := parseRow("_ r* -f=f^ --file=f^ -F= --field-separator= -v=_ --assign=_ -e=_^ --source=_^ -i=f --include=f -l=N --load=N -E=f^ --exec=f^ -o?  -p? -d? -L?")
	a := c.sort(r, false)
	program := value{}
	for _, s := range a.values {
		switch s.name {
		case "-e", "--source":
			program = append(program, s.value)
		case "-f", "--file", "-E", "--exec", "-i", "--include":
			program = append(program, c.scripts(s.value)...)
		}
	}
	if !a.frees && len(a.operands) > 0 {
		program = append(program, a.operands[0])
	}
	var operands fields
	given := map[string]value{}
	for i, o := range a.operands {
		name, v, isAssignment := strings.Cut(o, "=")
		if (i > 0 || a.frees) && isAssignment {
			given[plain(name)] = join(given[plain(name)], value{decodeANSI(v)})
			continue
		}
		operands = append(operands, o)
		if i > 0 || a.frees {
			given["FILENAME"] = join(given["FILENAME"], value{o})
		}
	}
	given["ARGV"] = given["FILENAME"]
	for _, s := range a.values {
		if name, v, ok := strings.Cut(s.value, "="); ok && (s.name == "-v" || s.name == "--assign") {
			given[plain(name)] = join(given[plain(name)], value{decodeANSI(v)})
		}
	}
	printed := value{}
	for _, s := range program {
		printed = join(printed, c.awkProgram(s, given))
	}
	a.operands = operands
	c.roles(r, a)
	return join(value{worst(squash(c.stdin) + strings.Join(program, ""))}, printed)
}

// awkToken is a word of an awk program: a string, or what is not one.
type awkToken struct {
	text   string
	string bool
	// pattern is the text of a regular expression.
	pattern string
}

// awkProgram looks for what runs, reads and writes, and gives the paths that are
// printed.
func (c *call) awkProgram(s string, given map[string]value) (printed value) {
	c.interp.step(1 + len(s)/16)
	if hasHole(s) && prefix(s) == "" {
		c.unresolved(c.place, c.name, "a program that is computed")
	}
	tokens := awkTokens(s)
	texts := c.awkTextsOf(tokens, given)
	for i, t := range tokens {
		if t.string {
			if strings.HasPrefix(t.text, "/inet") {
				c.awkPeer(t.text)
			}
			continue
		}
		switch t.text {
		case "system":
			c.awkRun(tokens, i+2, "awk system")
		case "|", "|&":
			if i+1 < len(tokens) && tokens[i+1].text == "getline" {
				c.awkRun(tokens, i-1, "awk getline")
			} else {
				c.awkRun(tokens, i+1, "awk pipe")
			}
		case "print", "printf":
			for _, out := range texts.eval(tokens[i+1:]) {
				if strings.HasPrefix(plain(out), "/") || strings.HasPrefix(plain(out), "~") {
					printed = join(printed, value{out + "\n"})
				}
			}
		case "getline":
			if at := texts.behindTarget(i + 1); texts.is(at, "<") && at+1 < len(tokens) {
				first, _ := texts.term(tokens[at+1:])
				c.awkFile(join(first, texts.eval(tokens[at+1:])), palisade.CapReadPath)
			}
		case ">", ">>":
			if awkPrints(tokens, i) {
				c.awkFile(texts.eval(tokens[i+1:]), palisade.CapWritePath)
			}
		case "@load", "@include":
			c.unresolved(c.place, c.name, "loads code: "+t.text)
		case "ARGV":
			c.awkArgument(texts, i+1)
		case "ENVIRON":
			c.fact(c.place, analysis.Fact{Capability: palisade.CapEnvironment, Symbol: c.name, Unknown: true})
		}
		if strings.HasPrefix(t.text, "@") && t.text != "@load" && t.text != "@include" {
			c.unresolved(c.place, c.name, "calls a function whose name is computed")
		}
	}
	return printed
}

// awkArgument looks for a file that a program gives itself to read.
func (c *call) awkArgument(t *awkTexts, at int) {
	if !t.is(at, "[") {
		return
	}
	if end := t.closing(at); t.is(end+1, "=") && !t.is(end+2, "=") {
		c.awkFile(t.eval(t.tokens[end+2:]), palisade.CapReadPath)
	}
}

// behindTarget is where what getline reads into ends.
func (t *awkTexts) behindTarget(i int) int {
	if i >= len(t.tokens) || t.tokens[i].string || !isNameByte(t.tokens[i].text[0]) && t.tokens[i].text[0] != '$' {
		return i
	}
	if t.is(i+1, "[") || t.tokens[i].text == "$" && t.is(i+1, "(") {
		return t.closing(i+1) + 1
	}
	return i + 1
}

// awkPrints reports whether a > redirects: it stands behind print in the same
// statement, outside of parentheses.
func awkPrints(tokens []awkToken, at int) bool {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch t := tokens[i]; {
		case t.string:
		case t.text == ")":
			depth++
		case t.text == "(":
			if depth--; depth < 0 {
				return false
			}
		case t.text == "print" || t.text == "printf":
			return true
		case t.text == ";" || t.text == "{" || t.text == "}" || t.text == "\n":
			return false
		}
	}
	return false
}

// awkRun runs the string that stands at a place, or says that none does.
func (c *call) awkRun(tokens []awkToken, at int, how string) {
	if at < 0 || at >= len(tokens) || !tokens[at].string {
		c.effect(palisade.CapEvaluate, "", how)
		c.unresolved(c.place, c.name, how+" of something that is computed")
		return
	}
	code := tokens[at].text
	for i := at + 1; i < len(tokens); i++ { // strings and expressions side by side
		if tokens[i].string {
			code += tokens[i].text
		} else if strings.ContainsAny(tokens[i].text, ")};|\n,>") {
			break
		} else {
			code += string([]byte{holeFile})
		}
	}
	c.shell(value{code}, how)
}

// awkFile reports the files that a text may name.
func (c *call) awkFile(names value, what palisade.Capability) {
	for _, name := range names {
		if strings.HasPrefix(name, "/inet") {
			c.awkPeer(name)
			continue
		}
		c.path(c.sc, c.place, what, name, c.name)
	}
}

// awkPeer is gawk's /inet/tcp/localport/host/port.
func (c *call) awkPeer(s string) {
	parts := strings.Split(s, "/")
	if len(parts) < 6 {
		c.effect(palisade.CapNetwork, string([]byte{hole}), "a special file of gawk")
		return
	}
	if parts[4] == "0" {
		c.effect(palisade.CapListen, s, "a special file of gawk")
		return
	}
	c.peer(c.place, parts[4]+":"+parts[5], c.name)
}

// awkTokens splits a program. A slash begins a regular expression where an
// operand can stand.
func awkTokens(s string) []awkToken {
	s = plain(s)
	var out []awkToken
	operand := false // the last token was one
	for i := 0; i < len(s) && len(out) < 20_000; {
		switch ch := s[i]; {
		case ch == ' ' || ch == '\t' || ch == '\r':
			i++
		case ch == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case ch == '"':
			end := min(awkEnd(s, i+1, '"'), len(s))
			out = append(out, awkToken{text: plain(decodeANSI(s[i+1 : end])), string: true})
			i, operand = end+1, true
		case ch == '/' && !operand:
			end := awkEnd(s, i+1, '/')
			out = append(out, awkToken{text: "/re/", pattern: s[i+1 : min(end, len(s))]})
			i, operand = end+1, true
		case isNameByte(ch) || ch == '@' || ch == '$':
			j := i + 1
			for j < len(s) && isNameByte(s[j]) {
				j++
			}
			out = append(out, awkToken{text: s[i:j]})
			i, operand = j, true
		default:
			n := 1
			if i+1 < len(s) && (s[i:i+2] == ">>" || s[i:i+2] == "|&" || s[i:i+2] == "||" || s[i:i+2] == ">=") {
				n = 2
			}
			out = append(out, awkToken{text: s[i : i+n]})
			i, operand = i+n, ch == ')' || ch == ']'
		}
	}
	return out
}

func awkEnd(s string, i int, end byte) int {
	for ; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == end {
			return i
		}
	}
	return len(s)
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
