package feedback

import (
	"bytes"
	"path"
	"strings"
	"unicode"

	"palisade"
)

// own knows the program's own text: what it names is no news to whoever wrote
// it.
type own struct {
	files map[string][]byte // by the name that the interpreter shows
	main  string
	words map[string]bool // made when it is first asked for
	texts [][]byte
	left  int // bytes that may still be searched
}

// maxSearch bounds how much is searched for messages in one result, in bytes: a
// program can print as many messages as it likes. What is not found in time
// does not count as found.
const maxSearch = 32 << 20

func newOwn(p palisade.Program) *own {
	o := &own{files: map[string][]byte{}, main: mainFile(p), left: maxSearch}
	for _, m := range p.Modules {
		o.add(strings.ReplaceAll(m.Name, ".", "/")+".py", m.Source)
	}
	o.add(o.main, p.Source)
	return o
}

// mainFile is the name by which messages know a program inside its box.
func mainFile(p palisade.Program) string {
	if name := path.Base(p.Name); name != "." && name != ".." && name != "/" {
		return name
	}
	return "program"
}

func (o *own) add(file string, source []byte) {
	o.files[file] = source
	o.texts = append(o.texts, source)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// names reports whether a word stands in the program.
func (o *own) names(word string) bool {
	if o.words == nil {
		o.words = map[string]bool{}
		for _, source := range o.texts {
			for word := range bytes.FieldsFuncSeq(source, func(r rune) bool { return !wordRune(r) }) {
				o.words[string(word)] = true
			}
		}
	}
	return word != "" && o.words[word]
}

// holds reports whether a text of some length stands in the program as it is.
func (o *own) holds(text string) bool {
	for _, source := range o.texts {
		if o.left -= len(source); o.left < 0 {
			return false
		}
		if bytes.Contains(source, []byte(text)) {
			return true
		}
	}
	return false
}

// place returns the innermost line of the program among frames, in words, and
// "" where there is none: frames are the guest's word, so that a line which
// the program does not have is not passed on.
func (o *own) place(frames []palisade.Frame) string {
	for i := len(frames) - 1; i >= 0; i-- {
		f := frames[i]
		source, ok := o.files[f.File]
		if !ok || f.Line < 1 || f.Line > bytes.Count(source, []byte("\n"))+1 {
			continue
		}
		text := " on line " + itoa(int64(f.Line))
		if f.File != o.main {
			text += " of " + short(f.File, 100)
		}
		if o.names(f.Function) {
			text += ", in " + f.Function
		}
		return text
	}
	return ""
}

// typeName returns the name of an exception's type as the program may be told:
// a dotted name of a sane length, or "Exception".
func typeName(name string) string {
	if len(name) > 100 || name == "" {
		return "Exception"
	}
	for _, part := range strings.Split(name, ".") {
		if !identifier(part) && part != "<locals>" {
			return "Exception"
		}
	}
	return name
}

func identifier(s string) bool {
	for i, r := range s {
		if !wordRune(r) || i == 0 && unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}
