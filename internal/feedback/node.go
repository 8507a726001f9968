package feedback

import (
	"strings"

	"palisade"
)

// reducer returns how the errors that the language's interpreter prints are
// reduced to the program's own lines.
func (t teller) reducer() func(string) string {
	switch t.language {
	case palisade.Python:
		return t.reduce
	case palisade.JavaScript, palisade.TypeScript:
		return t.reduceNode
	default:
		return nil
	}
}

// What node prints: nodeFrame begins each line of a stack, and nodeHint what it
// says of a thrown value that is no error. nodeLeft stands for lines left out,
// so that what is around them is not taken for one text.
const (
	nodeFrame = "    at "
	nodeHint  = "(Use `node --"
	nodeLeft  = "    ..."
)

// reduceNode reduces what node says of an uncaught error, and every stack, to
// the program's own lines; the error's message stays where it may be told. The
// program can print what looks like that: it is reduced too.
//
// Node prints the place, its line, a caret, the message, the stack, and in
// braces what else the error holds.
func (t teller) reduceNode(text string) string {
	if !strings.Contains(text, nodeFrame) && !strings.Contains(text, "\n"+nodeHint) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	b.Grow(len(text))
	left := false // the line before was left out
	leave := func(end string) {
		if !left || end != "" {
			b.WriteString(nodeLeft + end + "\n")
		}
		left = true
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		own, open := t.own.isNodePlace(line), strings.HasSuffix(line, " {\n")
		switch {
		case t.isPlace(lines[i:]):
			if own {
				b.WriteString(line + lines[i+1] + lines[i+2])
			} else {
				leave("")
			}
			i += t.nodeMessage(&b, lines[i+3:]) + 2
			left = false
		case !strings.HasPrefix(line, nodeFrame):
			b.WriteString(line)
			left = false
		case open && t.trust:
			leave(" {")
		case open:
			i += details(lines[i+1:])
			leave("")
		case own:
			b.WriteString(line)
			left = false
		default:
			leave("")
		}
	}
	return b.String()
}

// isPlace reports whether lines begin with the place of an uncaught error.
func (t teller) isPlace(lines []string) bool {
	if len(lines) < 4 || strings.ContainsAny(strings.TrimSuffix(lines[0], "\n"), " \t") {
		return false
	}
	at := strings.LastIndexByte(lines[0], ':')
	return at > 0 && number(strings.TrimSpace(lines[0][at+1:])) && strings.Contains(lines[2], "^") && strings.Trim(lines[2], " \t^\n") == ""
}

// nodeMessage writes what may be told of a message, which goes up to the stack
// or an empty line, and returns how many lines it has.
func (t teller) nodeMessage(b *strings.Builder, lines []string) int {
	n := 0
	for n < len(lines) && strings.TrimSpace(lines[n]) == "" {
		b.WriteString(lines[n])
		n++
	}
	first := n
	for n < len(lines) && !strings.HasPrefix(lines[n], nodeFrame) && !strings.HasPrefix(lines[n], nodeHint) && strings.TrimSpace(lines[n]) != "" {
		n++
	}
	whole := strings.TrimSuffix(strings.Join(lines[first:n], ""), "\n")
	name, message, ok := strings.Cut(whole, ": ")
	if !ok {
		message = whole
	}
	switch {
	case whole == "":
	case t.mayTell(message) != "" || whole == t.nodeType(whole):
		b.WriteString(whole + "\n")
	default:
		b.WriteString(t.nodeType(name) + "\n")
	}
	return n
}

// nodeType is the name of an error's type as it may be told.
func (t teller) nodeType(name string) string {
	if identifier(name) && len(name) <= 100 && (strings.HasSuffix(name, "Error") || t.own.names(name)) {
		return name
	}
	return "Error"
}

// details returns how many lines tell what an error holds beside its message.
func details(lines []string) int {
	for n, line := range lines {
		if line == "}\n" || line == "}" {
			return n + 1
		}
	}
	return len(lines)
}

// isNodePlace reports whether a line names a place in the program.
func (o *own) isNodePlace(line string) bool {
	line = strings.TrimRight(line, "{)\n ")
	if at := strings.LastIndexAny(line, " ("); at >= 0 {
		line = line[at+1:]
	}
	for range 2 { // the column, and the line
		if at := strings.LastIndexByte(line, ':'); at > 0 && number(line[at+1:]) {
			line = line[:at]
		}
	}
	return strings.TrimPrefix(line, "file://") == "/work/"+o.main
}
