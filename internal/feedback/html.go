package feedback

import (
	"strconv"
	"strings"

	"palisade/internal/redact"
)

// maxDepth bounds the elements that stand open at once; deeper ones are
// dropped, and their text stays.
const maxDepth = 64

// html returns foreign HTML as text with a few elements that only arrange it:
// every tag is written anew from a list, all else is text. The result is
// balanced, so that it can stand inside another page. HTML that is larger than
// the bound is left out.
func (s *Sanitizer) html(text string) (string, bool) {
	if len(text) > maxHTML {
		return "", false
	}
	w := htmlWriter{}
	for text = s.redactor.Clean([]byte(text)); text != ""; {
		text = text[w.step(text):]
	}
	for len(w.open) > 0 {
		w.pop()
	}
	return w.b.String(), w.b.Len() <= 2*maxHTML
}

type htmlWriter struct {
	b    strings.Builder
	open []string
}

// step writes what s begins with and returns its length.
func (w *htmlWriter) step(s string) int {
	switch s[0] {
	case '<':
		return w.markup(s)
	case '>':
		w.b.WriteString("&gt;")
		return 1
	case '&':
		return w.entity(s)
	}
	n := strings.IndexAny(s, "<>&")
	if n < 0 {
		n = len(s)
	}
	w.b.WriteString(s[:n])
	return n
}

// markup writes what a "<" begins.
func (w *htmlWriter) markup(s string) int {
	if strings.HasPrefix(s, "<!--") {
		return past(s, "-->")
	}
	if strings.HasPrefix(s, "<!") || strings.HasPrefix(s, "<?") {
		return past(s, ">")
	}
	t, n := parseTag(s)
	switch {
	case n == 0:
		w.b.WriteString("&lt;")
		return 1
	case t.end:
		w.close(t.name)
	case wholeElement(t.name):
		return n + pastEnd(s[n:], t.name)
	case t.name == "br" || t.name == "hr":
		w.b.WriteString("<" + t.name + ">")
	case arranges(t.name) && len(w.open) < maxDepth:
		w.b.WriteString("<" + t.name + t.attributes + ">")
		w.open = append(w.open, t.name)
	}
	return n
}

// past returns the length of s up to the end of mark, all of s without one.
func past(s, mark string) int {
	if at := strings.Index(s, mark); at >= 0 {
		return at + len(mark)
	}
	return len(s)
}

// pastEnd returns the length of s up to the end tag of an element, all of s
// without one.
func pastEnd(s, name string) int {
	for at := 0; ; {
		next := strings.Index(s[at:], "</")
		if next < 0 {
			return len(s)
		}
		at += next + 2
		if len(s)-at >= len(name) && strings.EqualFold(s[at:at+len(name)], name) {
			return at + len(name) + past(s[at+len(name):], ">")
		}
	}
}

func (w *htmlWriter) pop() {
	last := len(w.open) - 1
	w.b.WriteString("</" + w.open[last] + ">")
	w.open = w.open[:last]
}

// close ends an element if it is open, and those inside it.
func (w *htmlWriter) close(name string) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i] == name {
			for len(w.open) > i {
				w.pop()
			}
			return
		}
	}
}

// entity writes a character reference if it is a plain one, as what it stands
// for would be shown; else the ampersand.
func (w *htmlWriter) entity(s string) int {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 2 {
		w.b.WriteString("&amp;")
		return 1
	}
	switch name := s[1:end]; name {
	case "amp", "lt", "gt", "quot", "nbsp":
		w.b.WriteString(s[:end+1])
		return end + 1
	default:
		digits, isNumber := strings.CutPrefix(name, "#")
		base := 10
		if hex, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
			digits, base = hex, 16
		}
		code, err := strconv.ParseUint(digits, base, 21)
		if !isNumber || err != nil {
			w.b.WriteString("&amp;")
			return 1
		}
		w.b.WriteString(plainText.Replace(redact.Escape(string(rune(code)))))
		return end + 1
	}
}

var plainText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// arranges reports whether an element only arranges text.
func arranges(name string) bool {
	switch name {
	case "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
		"div", "p", "span", "b", "strong", "i", "em", "u", "s", "small", "sub", "sup", "code", "pre", "kbd", "samp", "var",
		"blockquote", "ul", "ol", "li", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6":
		return true
	}
	return false
}

// wholeElement reports whether an element's content is no text to show.
func wholeElement(name string) bool {
	switch name {
	case "script", "style", "iframe", "object", "embed", "svg", "math", "template", "noscript", "noembed", "noframes",
		"textarea", "title", "xmp", "select", "head", "applet", "audio", "video", "canvas", "plaintext":
		return true
	}
	return false
}

type tag struct {
	name       string // in lower case
	end        bool
	attributes string // those that are kept, written anew
}

// maxTag bounds a tag, in bytes.
const maxTag = 4096

// parseTag reads a tag at the start of s and returns its length, 0 where there
// is none.
func parseTag(s string) (tag, int) {
	s = s[:min(len(s), maxTag)]
	i := 1
	var t tag
	if strings.HasPrefix(s[i:], "/") {
		t.end = true
		i++
	}
	n := span(s[i:], nameByte)
	if n == 0 || s[i] < 'A' {
		return tag{}, 0
	}
	t.name = strings.ToLower(s[i : i+n])
	i += n
	for {
		i += span(s[i:], func(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '/' })
		if i == len(s) {
			return tag{}, 0
		}
		if s[i] == '>' {
			return t, i + 1
		}
		n = span(s[i:], func(c byte) bool { return nameByte(c) || c == ':' || c == '_' || c == '@' || c == '.' })
		if n == 0 {
			return tag{}, 0
		}
		name, value := strings.ToLower(s[i:i+n]), ""
		i += n
		if strings.HasPrefix(s[i:], "=") {
			if value, n = attributeValue(s[i+1:]); n == 0 {
				return tag{}, 0
			}
			i += 1 + n
		}
		if !t.end && kept(name, value) && !strings.Contains(t.attributes, " "+name+"=") {
			t.attributes += " " + name + `="` + value + `"`
		}
	}
}

// attributeValue reads a value and returns its length with its quotes.
func attributeValue(s string) (string, int) {
	if s == "" {
		return "", 0
	}
	if q := s[0]; q == '"' || q == '\'' {
		if at := strings.IndexByte(s[1:], q); at >= 0 {
			return s[1 : 1+at], at + 2
		}
		return "", 0
	}
	n := span(s, func(c byte) bool { return c > ' ' && strings.IndexByte("\"'<>=`", c) < 0 })
	return s[:n], n
}

// kept reports whether an attribute only arranges text.
func kept(name, value string) bool {
	switch name {
	case "colspan", "rowspan":
		n, err := strconv.Atoi(value)
		return err == nil && n > 0 && n <= 1000 && strconv.Itoa(n) == value
	case "scope":
		return value == "row" || value == "col"
	case "border":
		return value == "0" || value == "1"
	case "class":
		return value == "dataframe"
	}
	return false
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}

// span returns the length of the beginning of s that is of a class.
func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}
