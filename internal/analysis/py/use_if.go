package py

import (
	"path"
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// choice is a use that depends on what a parameter says: "if" uses are there
// where it is given and is none of the harmless values of the table, "unless"
// uses where it is not given too. None, False and the harmless values are no
// use.
func (in *interp) choice(n python.Node, f analysis.Fact, u use, v val, given bool) {
	if v.empty() {
		if u.kind == unlessUse {
			in.report(n, f)
		}
		return
	}
	harmless := strings.Split(u.deflt, "|")
	for j := range v.size() {
		o := v.at(j)
		if text, isText, _ := plainText(o); isText && isOneOf(strings.ToLower(text), harmless) {
			continue
		}
		if truth, known := truthOf(one(o)); known && !truth || o == cBool(true) && isOneOf("true", harmless) {
			continue
		}
		if _, ok := o.(cInt); ok {
			if text, _, _ := asText(o); isOneOf(text, harmless) {
				continue
			}
		}
		if l, ok := o.(*list); ok && allOf(l, harmless) {
			continue
		}
		if i, ok := o.(*instance); ok {
			if s, ok := i.of.(symbol); ok && isOneOf(string(s), harmless) {
				continue
			}
		}
		in.report(n, f)
		return
	}
	if v.open && given {
		f.Unknown = true
		in.report(n, f)
	}
}

// allOf reports whether a list holds nothing but harmless texts.
func allOf(l *list, harmless []string) bool {
	for _, e := range l.elems {
		o, ok := e.only()
		s, isText, _ := plainText(o)
		if !ok || !isText || !isOneOf(strings.ToLower(s), harmless) {
			return false
		}
	}
	return l.exact && len(l.elems) > 0
}

func isOneOf(s string, list []string) bool {
	for _, one := range list {
		if s == one && one != "" {
			return true
		}
	}
	return false
}

// statement is SQL text for SQLite, whose statements can open files: ATTACH and
// VACUUM INTO. With sure, a statement that is not known at all may be one; a
// text that is known in part is taken for what it begins with.
func (in *interp) statement(n python.Node, f analysis.Fact, v val, script, sure bool) {
	list, other := v.strings()
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case prefix:
			if !script && string(o) != "" && !opensFiles(string(o)) {
				other = false
			}
			list = append(list, string(o))
		case pattern:
			list = append(list, string(o))
			other = other && script
		}
	}
	for _, src := range list {
		in.sqlFiles(n, f, src)
	}
	if (other || v.open) && sure {
		f.Unknown, f.Kind = true, analysis.KindComputed
		f.Evidence = "a statement that may open files is computed"
		in.report(n, f)
	}
}

// opensFiles reports whether a beginning may become a statement that opens files.
func opensFiles(start string) bool {
	words := sqlWords(start)
	return len(words) == 0 || len(words) == 1 && !strings.HasSuffix(start, " ") || words[0] == "ATTACH" || words[0] == "VACUUM"
}

// sqlWords splits SQL into words, in capitals, and quoted texts as they stand.
// Comments are dropped.
func sqlWords(src string) []string {
	var words []string
	for i := 0; i < len(src) && len(words) < maxSQLWords; {
		c := src[i]
		switch {
		case strings.HasPrefix(src[i:], "--"):
			end := strings.IndexByte(src[i:], '\n')
			if end < 0 {
				return words
			}
			i += end
		case strings.HasPrefix(src[i:], "/*"):
			end := strings.Index(src[i+2:], "*/")
			if end < 0 {
				return words
			}
			i += end + 4
		case c == '\'' || c == '"' || c == '`' || c == '[':
			end := c
			if c == '[' {
				end = ']'
			}
			j := strings.IndexByte(src[i+1:], end)
			if j < 0 {
				return append(words, src[i:])
			}
			words = append(words, src[i:i+j+2])
			i += j + 2
		case isWord(c | 0x20), c >= 0x80:
			j := i
			for j < len(src) && (isWord(src[j]) || isWord(src[j]|0x20) || src[j] >= 0x80) {
				j++
			}
			words = append(words, strings.ToUpper(src[i:j]))
			i = j
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			i++
		default:
			words = append(words, src[i:i+1])
			i++
		}
	}
	return words
}

// maxSQLWords bounds what is read of a statement.
const maxSQLWords = 20_000

// sqlFiles reports the files that statements open, and native code they load.
func (in *interp) sqlFiles(n python.Node, f analysis.Fact, src string) {
	words := sqlWords(src)
	begins := true
	vacuum := false
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case w == ";":
			begins, vacuum = true, false
			continue
		case w == "ATTACH" && begins:
			if next == "DATABASE" && i+2 < len(words) {
				next = words[i+2]
			}
			in.sqlFile(n, f, next)
		case w == "VACUUM" && begins:
			vacuum = true
		case w == "INTO" && vacuum:
			in.sqlFile(n, f, next)
		case w == "PRAGMA" && begins && strings.HasSuffix(next, "_STORE_DIRECTORY") && i+3 < len(words):
			in.sqlFile(n, f, words[i+3])
		case w == "LOAD_EXTENSION" && next == "(":
			g := f
			g.Capability = palisade.CapNative
			in.report(n, g)
		}
		begins = begins && w == "EXPLAIN"
	}
}

// sqlFile reports one file that a statement opens.
func (in *interp) sqlFile(n python.Node, f analysis.Fact, word string) {
	if len(word) < 2 || word[0] != '\'' && word[0] != '"' || word[len(word)-1] != word[0] {
		f.Unknown = true
		in.report(n, f)
		return
	}
	in.sqliteFile(n, f, word[1:len(word)-1], true)
}

// sqliteFile reports a database's file; with uri, "file:" may stand before it
// and parameters behind it.
func (in *interp) sqliteFile(n python.Node, f analysis.Fact, name string, uri bool) {
	if uri {
		if rest, ok := strings.CutPrefix(name, "file:"); ok {
			name, _, _ = strings.Cut(rest, "?")
			if under, ok := strings.CutPrefix(name, "//"); ok {
				name = under[max(strings.IndexByte(under, '/'), 0):]
			}
			name = unescapePath(name)
		}
	}
	if name == "" || name == ":memory:" {
		return
	}
	in.paths(n, f, text(path.Clean(name)), false)
}

// unescapePath undoes %xx.
func unescapePath(s string) string {
	var b strings.Builder
	hex := func(c byte) int { return strings.IndexByte("0123456789abcdef", c|0x20) }
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && hex(s[i+1]) >= 0 && hex(s[i+2]) >= 0 {
			b.WriteByte(byte(hex(s[i+1])<<4 | hex(s[i+2])))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// sqliteConnect is sqlite3.connect.
func (in *interp) sqliteConnect(n python.Node, f analysis.Fact, v val, site *callSite) {
	truth, known := truthOf(site.args.get(7, "uri"))
	uri := !site.args.get(7, "uri").empty() && (truth || !known)
	rest := collector{val: val{open: v.open}}
	for i := range v.size() {
		o := v.at(i)
		if s, ok := o.(cStr); ok {
			in.sqliteFile(n, f, string(s), uri)
			continue
		}
		rest.put(o)
	}
	if !rest.empty() {
		in.paths(n, f, rest.val, false)
	}
}
