package iac

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"palisade/internal/analysis"
)

// instruction is one instruction of a Dockerfile.
type instruction struct {
	place
	keyword string   // in upper case
	flags   []string // "name=value" without the dashes
	rest    string   // what follows the flags; inner line ends as in the source
	body    place    // where the rest starts
	words   []string // of the JSON form
	isJSON  bool
	docs    []heredoc
	onBuild bool
}

// heredoc is a here-document that follows an instruction.
type heredoc struct {
	name, text string
	expand     bool
	place
}

// dockerfile is what a file says before its meaning is asked.
type dockerfile struct {
	escape       byte
	syntax       string // the frontend that reads it; "": Docker's own
	syntaxPlace  place
	instructions []instruction
}

// keywords are Docker's. Source: the Dockerfile reference.
const keywords = " ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR "

// maxInstructions bounds a file.
const maxInstructions = 5_000

// parseDockerfile splits a text into instructions. The form is that of
// BuildKit's parser; what that one refuses is a syntax error here.
func parseDockerfile(source string) (*dockerfile, error) {
	d := &dockerfile{escape: '\\'}
	lines := strings.Split(source, "\n")
	d.directives(lines)
	for i := 0; i < len(lines); {
		line := strings.TrimSpace(lines[i])
		if line == "" || line[0] == '#' {
			i++
			continue
		}
		in := instruction{place: place{i + 1, 1 + len(lines[i]) - len(strings.TrimLeft(lines[i], " \t\f\v"))}}
		joined, next := d.join(lines, i)
		if err := d.read(&in, joined); err != nil {
			return nil, err
		}
		i = next
		var err error
		if i, err = in.heredocs(lines, i); err != nil {
			return nil, err
		}
		if len(d.instructions) == maxInstructions {
			return nil, errBudget
		}
		d.instructions = append(d.instructions, in)
	}
	if len(d.instructions) == 0 {
		return nil, &analysis.SyntaxError{Message: "the file has no instructions"}
	}
	return d, nil
}

// directives reads the comments at the head that are none: escape, syntax.
func (d *dockerfile) directives(lines []string) {
	seen := map[string]bool{}
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if i == 0 && strings.HasPrefix(text, "#!") {
			continue
		}
		text, ok := strings.CutPrefix(text, "#")
		if !ok {
			return // BuildKit also takes "//": what follows is no Dockerfile then
		}
		name, value, ok := strings.Cut(text, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if !ok || seen[name] || strings.ContainsAny(name, " \t") {
			return
		}
		seen[name] = true
		switch value = strings.TrimSpace(value); name {
		case "escape":
			if value == "`" {
				d.escape = '`'
			}
		case "syntax":
			d.syntax, _, _ = strings.Cut(value, " ")
			d.syntaxPlace = place{i + 1, 1}
		}
	}
}

// join puts an instruction's lines together. Comments and empty lines between
// them become empty continuations, so that lines keep their numbers; each
// continuation is written as the shell's.
func (d *dockerfile) join(lines []string, i int) (joined string, next int) {
	var b strings.Builder
	more := true
	for first := true; more && i < len(lines); i++ {
		line := lines[i]
		trimmed := strings.TrimSpace(line)
		if !first && (trimmed == "" || trimmed[0] == '#') {
			b.WriteString("\\\n")
			continue
		}
		if first {
			line = strings.TrimLeft(line, " \t\f\v")
		}
		first = false
		if line, more = d.continued(line); more {
			b.WriteString(line)
			b.WriteString("\\\n")
			continue
		}
		b.WriteString(line)
	}
	joined = b.String()
	for strings.HasSuffix(joined, "\\\n") { // the file ends in a continuation
		joined = strings.TrimSuffix(joined, "\\\n")
	}
	return strings.TrimRight(joined, " \t"), i
}

// continued cuts off the escape that ends a line, unless it is escaped itself.
func (d *dockerfile) continued(line string) (string, bool) {
	t := strings.TrimRight(line, " \t")
	n := len(t)
	if n == 0 || t[n-1] != d.escape || n > 1 && t[n-2] == d.escape {
		return line, false
	}
	return t[:n-1], true
}

// read takes an instruction's text apart.
func (d *dockerfile) read(in *instruction, joined string) error {
	keyword, rest := cutWord(joined)
	in.keyword = strings.ToUpper(keyword)
	if !strings.Contains(keywords, " "+in.keyword+" ") {
		return &analysis.SyntaxError{Line: in.line, Column: in.column, Message: fmt.Sprintf("unknown instruction %.40q", keyword)}
	}
	if in.keyword == "ONBUILD" {
		if in.onBuild {
			return &analysis.SyntaxError{Line: in.line, Column: in.column, Message: "ONBUILD in ONBUILD"}
		}
		in.onBuild = true
		return d.read(in, rest)
	}
	if slices.Contains([]string{"RUN", "COPY", "ADD", "FROM", "HEALTHCHECK"}, in.keyword) {
		for strings.HasPrefix(rest, "--") {
			var flag string
			flag, rest = cutWord(rest)
			in.flags = append(in.flags, strings.ReplaceAll(flag[2:], `"`, ""))
		}
	}
	if in.keyword == "HEALTHCHECK" {
		word, after := cutWord(rest)
		if strings.EqualFold(word, "NONE") {
			return nil
		}
		rest = after // CMD
	}
	in.rest = rest
	before := strings.TrimSuffix(joined, rest)
	in.body = place{in.line + strings.Count(before, "\n"), 1 + len(before) - (strings.LastIndexByte(before, '\n') + 1)}
	if in.body.line == in.line {
		in.body.column += in.column - 1
	}
	if strings.HasPrefix(rest, "[") {
		plain := strings.ReplaceAll(rest, "\\\n", "")
		if json.Unmarshal([]byte(plain), &in.words) == nil {
			in.isJSON = true
			for i, w := range in.words {
				in.words[i] = clean(w)
			}
		}
	}
	return nil
}

// cutWord cuts the first word off; continuations count as blanks.
func cutWord(s string) (word, rest string) {
	i := strings.IndexAny(s, " \t\n\\")
	for i >= 0 && s[i] == '\\' && (i+1 == len(s) || s[i+1] != '\n') {
		j := strings.IndexAny(s[i+1:], " \t\n\\")
		if j < 0 {
			i = -1
			break
		}
		i += 1 + j
	}
	if i < 0 {
		return s, ""
	}
	word, rest = s[:i], s[i:]
	for {
		trimmed := strings.TrimLeft(strings.TrimPrefix(rest, "\\\n"), " \t\n")
		if trimmed == rest {
			return word, rest
		}
		rest = trimmed
	}
}

// heredocs reads the here-documents that an instruction asks for.
func (in *instruction) heredocs(lines []string, i int) (int, error) {
	if in.keyword != "RUN" && in.keyword != "COPY" && in.keyword != "ADD" || in.isJSON {
		return i, nil
	}
	for _, doc := range heredocNames(in.rest) {
		strip := strings.HasPrefix(doc.name, "-")
		doc.name = strings.TrimPrefix(doc.name, "-")
		doc.place = place{i + 1, 1}
		var b strings.Builder
		closed := false
		for ; i < len(lines) && !closed; i++ {
			line := lines[i]
			if strip {
				line = strings.TrimLeft(line, "\t")
			}
			if closed = line == doc.name; !closed {
				b.WriteString(line)
				b.WriteByte('\n')
			}
		}
		if !closed {
			return i, &analysis.SyntaxError{Line: in.line, Column: in.column, Message: fmt.Sprintf("unterminated here-document %.40q", doc.name)}
		}
		doc.text = b.String()
		in.docs = append(in.docs, doc)
	}
	return i, nil
}

// heredocNames finds "<<NAME", "<<-NAME" and their quoted forms among the words
// outside quotes. A name keeps the dash of "<<-".
func heredocNames(s string) []heredoc {
	var out []heredoc
	quote := byte(0)
	for i := 0; i < len(s) && len(out) < 64; i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			} else if c == '\\' && quote == '"' {
				i++
			}
		case c == '\\':
			i++
		case c == '\'' || c == '"':
			quote = c
		case strings.HasPrefix(s[i:], "<<<"):
			i += 2
		case strings.HasPrefix(s[i:], "<<"):
			rest := s[i+2:]
			dash := ""
			if strings.HasPrefix(rest, "-") {
				dash, rest = "-", rest[1:]
			}
			end := strings.IndexAny(rest, " \t\n;|&<>()\\")
			if end < 0 {
				end = len(rest)
			}
			word := rest[:end]
			name := strings.Trim(word, `"'`)
			if name != "" && !strings.ContainsAny(name, `"'$`) {
				out = append(out, heredoc{name: dash + name, expand: name == word})
			}
			i += 1 + len(dash) + end
		}
	}
	return out
}
