package js

import (
	"fmt"
	"strings"
)

// Bounds on how deep a text may be nested before a parser sees it: the parsers
// call themselves once or more for each level, and a stack that is full ends
// the process. Programs that people or models write stay under 30.
const (
	maxNesting = 200
	// maxChain bounds what nests to the right without brackets since the last
	// bracket, comma or semicolon: !!!!x, a=b=c, x=>y=>z, a?b:c?d:e, else if.
	maxChain = 900
	// maxCommas bounds the commas in a row outside brackets of an array, and
	// maxAgain how often one variable is declared: what esbuild does for these
	// grows with the square.
	maxCommas = 8000
	maxAgain  = 4000
)

// tooDeep is a text that no parser is given.
type tooDeep struct{ what string }

func (e *tooDeep) Error() string { return "the program is nested too deep: " + e.what }

// scan is a text on its way through the scanner, which knows as much of the
// language as is needed to tell code from strings, comments, templates and
// regular expressions.
type scan struct {
	s        string
	at       int
	open     []bracket
	chain    []int // by bracket
	value    bool  // the last token ended a value: a slash divides
	word     string
	commas   []int // by bracket
	declared map[string]int
	escaped  int  // offset+1 of the first name with an escape in it
	newline  bool // since the last token
}

type bracket struct {
	char      byte
	condition bool // after if, for, while, with: what follows ) is not divided
}

// prescan bounds the nesting of a text. It gives the place of the first name
// that is written with an escape; -1: none.
func prescan(source string) (escaped int, err error) {
	p := &scan{s: source, chain: []int{0}, commas: []int{0}, declared: map[string]int{}}
	for p.at < len(p.s) {
		if err := p.token(); err != nil {
			return -1, err
		}
	}
	return p.escaped - 1, nil
}

func (p *scan) token() error {
	c := p.s[p.at]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		p.newline = p.newline || c == '\n'
		p.at++
		return nil
	case strings.HasPrefix(p.s[p.at:], "//"):
		p.skipTo("\n")
	case strings.HasPrefix(p.s[p.at:], "/*"):
		p.at += 2
		p.skipTo("*/")
	case c == '"' || c == '\'':
		p.quoted(c)
	case c == '`':
		return p.templateText()
	case c == '/':
		return p.slash()
	case c == '(' || c == '[' || c == '{':
		return p.opening(c)
	case c == ')' || c == ']' || c == '}':
		return p.closing(c)
	case isWord(c) || c == '#' || c == '@':
		return p.name()
	default:
		return p.punctuation(c)
	}
	p.newline = false
	return nil
}

func (p *scan) skipTo(end string) {
	k := strings.Index(p.s[p.at:], end)
	if k < 0 {
		p.at = len(p.s)
		return
	}
	p.at += k + len(end)
}

func (p *scan) quoted(quote byte) {
	for p.at++; p.at < len(p.s) && p.s[p.at] != quote && p.s[p.at] != '\n'; p.at++ {
		if p.s[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	p.value, p.word = true, ""
}

// templateText reads a template up to its end or the next ${.
func (p *scan) templateText() error {
	for p.at++; p.at < len(p.s); p.at++ {
		switch p.s[p.at] {
		case '\\':
			p.at++
		case '`':
			p.at++
			p.value, p.word = true, ""
			return nil
		case '$':
			if p.at+1 < len(p.s) && p.s[p.at+1] == '{' {
				p.at += 2
				return p.push(bracket{char: '`'})
			}
		}
	}
	return nil
}

// slash is a division or a regular expression.
func (p *scan) slash() error {
	if p.value {
		return p.punctuation('/')
	}
	class := false
	for k := p.at + 1; k < len(p.s) && p.s[k] != '\n'; k++ {
		switch p.s[k] {
		case '\\':
			k++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				p.at = k + 1
				p.value, p.word = true, ""
				return nil
			}
		}
	}
	return p.punctuation('/')
}

func (p *scan) push(b bracket) error {
	if len(p.open) >= maxNesting {
		return &tooDeep{fmt.Sprintf("more than %d brackets inside one another", maxNesting)}
	}
	p.open = append(p.open, b)
	p.chain = append(p.chain, p.chain[len(p.chain)-1])
	p.commas = append(p.commas, 0)
	p.value, p.word, p.newline = false, "", false
	return nil
}

func (p *scan) opening(c byte) error {
	condition := false
	if c == '(' {
		switch p.word {
		case "if", "for", "while", "with", "await":
			condition = true
		}
	}
	p.at++
	return p.push(bracket{c, condition})
}

func (p *scan) closing(c byte) error {
	p.at++
	p.value, p.word, p.newline = c != '}', "", false
	if len(p.open) == 0 {
		return nil
	}
	top := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	p.chain = p.chain[:len(p.chain)-1]
	p.commas = p.commas[:len(p.commas)-1]
	if c == '}' && top.char == '`' {
		p.at--
		return p.templateText()
	}
	if c == '}' {
		p.chain[len(p.chain)-1] = p.base()
	}
	p.value = p.value && !top.condition
	return nil
}

// comma counts the commas in a row.
func (p *scan) comma() error {
	last := len(p.commas) - 1
	p.commas[last]++
	array := len(p.open) > 0 && p.open[len(p.open)-1].char == '['
	if p.commas[last] > maxCommas && !array {
		return &tooDeep{fmt.Sprintf("more than %d commas in a row", maxCommas)}
	}
	return nil
}

// base is the length of the chain that surrounds the innermost bracket.
func (p *scan) base() int {
	if len(p.chain) < 2 {
		return 0
	}
	return p.chain[len(p.chain)-2]
}

// name is a name, a number or a keyword.
func (p *scan) name() error {
	from := p.at
	for p.at < len(p.s) {
		c := p.s[p.at]
		if c == '\\' && p.escaped == 0 && p.at+1 < len(p.s) && p.s[p.at+1] == 'u' {
			p.escaped = from + 1
		}
		if strings.HasPrefix(p.s[p.at:], `\u{`) {
			p.skipTo("}")
			continue
		}
		if !isWord(c) && c != '#' && c != '@' {
			break
		}
		p.at++
	}
	last := p.word
	p.word = p.s[from:p.at]
	if p.newline && p.value && p.word != "in" && p.word != "instanceof" {
		p.chain[len(p.chain)-1] = p.base() // a new statement, without a semicolon
	}
	p.newline = false
	if last == "var" {
		if p.declared[p.word]++; p.declared[p.word] > maxAgain {
			return &tooDeep{fmt.Sprintf("a variable is declared more than %d times", maxAgain)}
		}
	}
	switch p.word {
	case "return", "case", "in", "of", "instanceof":
		p.value = false
	case "typeof", "void", "delete", "await", "new", "throw", "yield", "if", "else", "do", "for", "while", "with", "extends", "default":
		p.value = false
		return p.link()
	default:
		p.value = true
	}
	return nil
}

// link makes a chain one longer.
func (p *scan) link() error {
	last := len(p.chain) - 1
	if p.chain[last]++; p.chain[last] > maxChain {
		return &tooDeep{fmt.Sprintf("a chain of more than %d operators", maxChain)}
	}
	return nil
}

func (p *scan) punctuation(c byte) error {
	p.at++
	p.newline = false
	was := p.value
	p.value, p.word = false, ""
	switch c {
	case ';':
		p.chain[len(p.chain)-1] = p.base()
		p.commas[len(p.commas)-1] = 0
	case ',':
		p.chain[len(p.chain)-1] = p.base()
		return p.comma()
	case '+', '-':
		if p.at < len(p.s) && p.s[p.at] == c { // ++, --
			p.at++
			p.value = was
		}
		return p.link()
	case '!', '~', '=', '?', ':', '*', '/', '%', '<', '>', '&', '|', '^':
		return p.link()
	}
	return nil
}
