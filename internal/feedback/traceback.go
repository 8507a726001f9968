package feedback

import "strings"

const header = "Traceback (most recent call last):"

// reduce reduces the tracebacks in a text to the program's own lines and the
// exception's type; its message stays where it may be told. The program can
// print what looks like a traceback: that is reduced too.
func (t teller) reduce(text string) string {
	if !strings.Contains(text, header) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	inside, mine := false, true
	for len(text) > 0 {
		line := text
		if at := strings.IndexByte(text, '\n'); at >= 0 {
			line = text[:at+1]
		}
		text = text[len(line):]
		bars, content := gutter(line)
		switch {
		case strings.TrimPrefix(strings.TrimSpace(content), "Exception Group ") == header:
			inside, mine = true, true
		case !inside:
		case strings.HasPrefix(content, `  File "`):
			mine = t.own.isFile(content)
		case strings.HasPrefix(content, "  "):
			// source, carets, or how often a frame repeats: as its frame
		case strings.TrimSpace(content) == "":
			inside, mine = false, true
		default:
			inside, mine = false, true
			line, text = t.lastLine(bars, content, text)
		}
		if mine {
			b.WriteString(line)
		}
	}
	return b.String()
}

// gutter splits the bars that an exception group draws off a line.
func gutter(line string) (bars, content string) {
	rest := strings.TrimLeft(line, " ")
	if rest == "" || rest[0] != '|' && rest[0] != '+' {
		return "", line
	}
	rest = strings.TrimLeft(rest[1:], "-")
	rest = strings.TrimPrefix(rest, " ")
	return line[:len(line)-len(rest)], rest
}

// isFile reports whether a frame's line names a file of the program.
func (o *own) isFile(content string) bool {
	_, rest, _ := strings.Cut(content, `"`)
	file, _, _ := strings.Cut(rest, `"`)
	_, ok := o.files[file]
	return ok
}

// lastLine returns the line that ends a traceback, as it may be told, and the
// text after it without the rest of a message that may not.
func (t teller) lastLine(bars, content, text string) (string, string) {
	body := strings.TrimSuffix(content, "\n")
	end := content[len(body):]
	name, message, ok := strings.Cut(body, ": ")
	if !ok || t.mayTell(message) != "" {
		return bars + content, text
	}
	if first, more, _ := strings.Cut(t.message, "\n"); first == message && more != "" {
		// A text that was cut may hold only a part of the message.
		text = strings.TrimPrefix(text[common(text, more):], "\n")
	}
	return bars + typeName(name) + end, text
}

// common returns the length of the beginning that two texts share.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
