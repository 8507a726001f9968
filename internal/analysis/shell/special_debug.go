package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// debuggerFile is a file of commands for gdb or lldb, or of Python.
func (c *call) debuggerFile(name string) {
	c.role(roleFile, name, nil)
	content := c.scripts(name)
	if strings.HasSuffix(plain(name), ".py") {
		for _, s := range content {
			c.embed(palisade.Python, "", s, c.name+" "+shown(name))
		}
		return
	}
	c.debuggerLines(content)
}

// debuggerLines runs commands that stand in lines; python alone in one begins
// code that ends with end.
func (c *call) debuggerLines(texts value) {
	for _, s := range texts {
		var code []string
		inCode := false
		for line := range strings.SplitSeq(s, "\n") {
			word := strings.TrimSpace(plain(line))
			switch {
			case inCode && word == "end":
				c.embed(palisade.Python, "", strings.Join(code, "\n"), c.name)
				inCode, code = false, nil
			case inCode:
				code = append(code, line)
			case word == "python" || word == "py" || word == "python-interactive" || word == "pi" || word == "script":
				inCode = true
			default:
				c.debugger(line)
			}
		}
		if inCode {
			c.embed(palisade.Python, "", strings.Join(code, "\n"), c.name)
		}
	}
}

// debugger runs a command of gdb or lldb. Source: gdb's manual, "Shell
// Commands", "Extending GDB", "Memory", "Logging Output"; lldb help.
func (c *call) debugger(text string) {
	line := strings.TrimSpace(plain(text))
	if strings.Contains(line, "\n") {
		c.debuggerLines(value{line})
		return
	}
	if code, ok := strings.CutPrefix(line, "!"); ok {
		c.shell(value{code}, c.name)
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "shell", "make":
		if word == "make" {
			rest = "make " + rest
		}
		c.shell(value{rest}, c.name)
	case "platform":
		if code, ok := strings.CutPrefix(rest, "shell "); ok {
			c.shell(value{code}, c.name)
		}
	case "pipe", "|":
		if _, code, ok := strings.Cut(strings.TrimPrefix(rest, "-d "), "|"); ok {
			c.shell(value{code}, c.name)
		} else {
			c.unresolved(c.place, c.name, "a pipe whose command is not known")
		}
	case "python", "py", "python-interactive", "pi":
		c.embed(palisade.Python, "", rest, c.name)
	case "script":
		c.embed(palisade.Python, "", strings.TrimPrefix(rest, "-- "), c.name)
	case "source", "command":
		c.unresolved(c.place, c.name, "runs a script of the debugger")
	case "guile", "gu", "guile-repl", "gr", "compile", "eval", "alias", "call", "print", "p", "printf", "expression", "expr", "e", "inspect", "output", "with":
		if !c.plainlyShows(word, rest) {
			c.unresolved(c.place, c.name, "calls into the program: "+shown(line))
		}
	case "attach", "target":
		c.report(palisade.CapPrivilege, "looks into another process", analysis.KindUse)
	case "dump", "append", "restore", "generate-core-file", "gcore", "save", "tee", "core-file", "file", "exec-file", "symbol-file", "add-symbol-file", "load":
		for field := range strings.FieldsSeq(rest) {
			if strings.Contains(field, "/") {
				c.role(roleBoth, strings.Trim(field, `"'`), nil)
			}
		}
	case "set":
		for field := range strings.FieldsSeq(rest) {
			if strings.HasPrefix(field, "/") || strings.HasPrefix(field, "~") {
				c.role(roleBoth, field, nil)
			}
		}
		if strings.HasPrefix(rest, "exec-wrapper ") || strings.HasPrefix(rest, "startup-with-shell") {
			c.unresolved(c.place, c.name, "decides how the program starts")
		}
	case "run", "r", "start", "starti":
		c.shell(value{": " + rest}, c.name) // the shell reads the arguments
	}
}

// plainlyShows reports whether a command only shows a variable or a text.
func (c *call) plainlyShows(word, rest string) bool {
	return (word == "printf" || word == "output" || word == "with") && !strings.Contains(strings.TrimSuffix(rest, ")"), "(")
}
