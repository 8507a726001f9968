package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

// builtin gives what a part of the shell does; nil: it is none. Source: Bash's
// manual, Shell Builtin Commands.
func builtin(name string) func(*call) value {
	switch name {
	case ":", "true", "false", "exit", "return", "break", "continue", "shift", "wait", "jobs", "fg", "bg", "disown", "umask", "ulimit",
		"times", "suspend", "logout", "help", "caller", "dirs", "getopts", "bindkey", "type", "pwd":
		return silent(name)
	case "history":
		return (*call).history
	case "test", "[":
		return (*call).testCommand
	case "echo":
		return (*call).echo
	case "printf":
		return (*call).printf
	case "cd", "pushd", "popd":
		return (*call).changeFolder
	case "set":
		return (*call).set
	case "unset", "unalias":
		return (*call).unset
	case "export", "readonly", "declare", "typeset", "local":
		return (*call).declareCommand
	case "read":
		return (*call).read
	case "mapfile", "readarray":
		return (*call).mapfile
	case "eval":
		return (*call).eval
	case "source", ".":
		return (*call).source
	case "exec":
		return (*call).exec
	case "command", "builtin":
		return (*call).commandBuiltin
	case "trap":
		return (*call).trap
	case "alias":
		return (*call).alias
	case "hash":
		return (*call).hash
	case "kill":
		return (*call).kill
	case "shopt":
		return (*call).shopt
	case "enable":
		return (*call).enable
	case "bind":
		return (*call).bind
	case "complete", "compgen", "compopt":
		return (*call).complete
	case "fc":
		return (*call).fc
	case "let":
		return (*call).let
	case "coproc":
		return func(c *call) value { return c.invoke(c.args) }
	}
	return nil
}

func silent(name string) func(*call) value {
	return func(c *call) value {
		switch name {
		case "break":
			c.jump(c.sc, 'l')
		case "continue":
			c.jump(c.sc, 'c')
		case "return":
			c.jump(c.sc, 'f')
		case "pwd":
			v, _ := c.sc.lookup(keyFolder)
			return concat(v.value, text("\n"))
		case "type", "caller", "dirs", "jobs", "times", "help":
			return unknown
		case "wait":
			for i, a := range c.args[:max(len(c.args)-1, 0)] {
				if plain(a) == "-p" {
					c.subscripts(c.sc, c.place, value{c.args[i+1]})
				}
			}
		case "shift":
			c.shift()
		case "getopts":
			c.getopts()
		}
		return text("")
	}
}

func (c *call) shift() {
	arguments, given := c.sc.lookup(keyArguments)
	if !given {
		return
	}
	n := 1
	if len(c.args) > 0 {
		v, ok := integer(plain(c.args[0]))
		if !ok || v < 0 {
			c.sc.vars[keyArguments] = scattered(unknown)
			return
		}
		n = int(min(v, 1<<20))
	}
	list := arguments.list
	c.sc.vars[keyArguments] = variable{array: true, list: list[min(n, len(list)):]}
}

// testCommand is test and [: names of variables in it are evaluated.
func (c *call) testCommand() value {
	for i, a := range c.args {
		if a == "-v" && i+1 < len(c.args) {
			c.subscripts(c.sc, c.place, value{c.args[i+1]})
		}
	}
	return text("")
}

// set gives positional parameters and options.
func (c *call) set() value {
	args := c.args
	for i, a := range args {
		switch p := plain(a); {
		case p == "--":
			c.arguments(args[i+1:])
			return text("")
		case p == "-o" && i+1 < len(args) && (plain(args[i+1]) == "posix" || plain(args[i+1]) == "keyword"), hasHole(a) && i == 0,
			strings.HasPrefix(p, "-") && !strings.HasPrefix(p, "--") && strings.Contains(p, "k"):
			c.report(palisade.CapObfuscation, "a mode of the shell in which the same text means something else", analysis.KindShadow)
		case strings.HasPrefix(p, "-"), strings.HasPrefix(p, "+"):
		default:
			if i == 0 || plain(args[i-1]) != "-o" && plain(args[i-1]) != "+o" {
				c.arguments(args[i:])
				return text("")
			}
		}
	}
	return text("")
}

func (c *call) arguments(list fields) {
	v := variable{array: true}
	for _, a := range list {
		v.list = append(v.list, value{a})
	}
	c.sc.set(keyArguments, v)
}

// unset forgets variables and functions. One in a subscript can run commands.
func (c *call) unset() value {
	for _, a := range c.args {
		name := plain(a)
		if strings.HasPrefix(name, "-") {
			continue
		}
		if !syntax.ValidName(name) {
			c.subscripts(c.sc, c.place, value{a})
			base, _, _ := strings.Cut(name, "[")
			if v, ok := c.sc.lookup(base); ok { // an element is gone, and others may be first
				c.sc.set(base, scattered(open(v.any())))
			}
			continue
		}
		if c.name == "unset" {
			c.sc.vars[name] = variable{value: text("")}
		}
	}
	return text("")
}

// declareCommand is export and its kin where they are not written as such, as
// behind command or builtin.
func (c *call) declareCommand() value {
	for _, a := range c.args {
		switch p := plain(a); {
		case strings.HasPrefix(p, "-") || strings.HasPrefix(p, "+"):
		case hasHole(a) && !strings.Contains(prefix(a), "="):
			c.unresolved(c.place, c.name, "declares variables whose names are computed")
		default:
			if name, v, ok := strings.Cut(a, "="); ok && syntax.ValidName(plain(name)) {
				c.assign(c.sc, c.place, plain(name), value{v})
			} else {
				c.declareText(c.sc, c.place, p)
			}
		}
	}
	return text("")
}

// read fills variables from standard input.
func (c *call) read() value {
	var names []string
	array, raw, whole, cut := "", false, false, false
	for i := 0; i < len(c.args); i++ {
		a := plain(c.args[i])
		if strings.HasPrefix(a, "-") {
			raw = raw || strings.Contains(a, "r")
			cut = cut || strings.ContainsAny(a, "dnN")
			whole = whole || strings.HasSuffix(a, "d") && i+1 < len(c.args) && c.args[i+1] == ""
		}
		switch {
		case a == "-a" || a == "-A" || strings.HasPrefix(a, "-") && strings.HasSuffix(a, "a"):
			if i+1 < len(c.args) {
				i++
				array = plain(c.args[i])
			}
		case len(a) > 1 && a[0] == '-' && strings.ContainsRune("dinNptu", rune(a[len(a)-1])):
			i++
		case strings.HasPrefix(a, "-"):
		default:
			names = append(names, a)
		}
	}
	lines := value{}
	for _, s := range c.stdin {
		line, _, _ := strings.Cut(s, "\n")
		switch {
		case whole: // read -d '' reads all there is
			lines = join(lines, value{strings.TrimSpace(s)})
			continue
		case cut || !raw && strings.Contains(line, "\\"):
			lines = join(lines, value{worst(s)})
		default:
			lines = join(lines, value{line})
		}
		if strings.Contains(strings.TrimSuffix(s, "\n"), "\n") { // another turn reads another line
			lines = join(lines, value{worst(s)})
		}
	}
	separators := c.separators(c.sc)
	if array != "" {
		c.readArray(array, lines, separators)
		return text("")
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	for i, name := range names {
		v := lines.each(func(s string) string { return keepMark(s, part(plain(s), i, len(names), separators)) })
		if !syntax.ValidName(name) {
			c.subscripts(c.sc, c.place, text(name))
			c.assignSubscript(name, v)
			continue
		}
		c.assign(c.sc, c.place, name, v)
	}
	return text("")
}

// assignSubscript assigns to name[subscript], as read and printf -v do.
func (c *call) assignSubscript(s string, v value) {
	name, key, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	if !syntax.ValidName(name) {
		return
	}
	old := c.quiet(c.sc, name)
	if n, ok := integer(key); ok && n >= 0 && key != "" {
		c.assignList(c.sc, c.place, name, old.put(itoa(int(n)), v))
		return
	}
	c.assignList(c.sc, c.place, name, scattered(open(join(old.any(), v))))
}

func (c *call) readArray(name string, lines value, separators string) {
	v := scattered(value{worstOf(lines)})
	if s, ok := lines.only(); ok {
		v = variable{array: true}
		for _, f := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			v.list = append(v.list, text(f))
		}
	}
	if syntax.ValidName(name) {
		c.assignList(c.sc, c.place, name, v)
	}
}

// part is the i-th of n parts that a line is split into; the last takes the
// rest.
func part(s string, i, n int, separators string) string {
	s = strings.Trim(s, " \t")
	for ; i > 0; i-- {
		at := strings.IndexAny(s, separators)
		if at < 0 {
			return ""
		}
		s = strings.TrimLeft(s[at+1:], " \t")
		n--
	}
	if n > 1 {
		if at := strings.IndexAny(s, separators); at >= 0 {
			return s[:at]
		}
	}
	return s
}

func (c *call) mapfile() value {
	name, cut := "MAPFILE", false
	for i := 0; i < len(c.args); i++ {
		switch a := plain(c.args[i]); {
		case a == "-C" && i+1 < len(c.args):
			i++
			c.shell(value{c.args[i]}, "mapfile -C")
		case len(a) == 2 && strings.Contains("-d-n-O-s-u-c", a):
			i++
			cut = cut || a != "-u" && a != "-c"
		case strings.HasPrefix(a, "-"):
			cut = cut || strings.ContainsAny(a, "dnOs")
			if strings.ContainsRune("dnOsuc", rune(a[len(a)-1])) {
				i++
			}
		default:
			name = a
		}
	}
	v := scattered(value{worstOf(c.stdin)})
	if s, ok := c.stdin.only(); ok && !cut {
		v = variable{array: true}
		for line := range strings.Lines(s) {
			if len(v.list) < maxElements {
				v.list = append(v.list, text(strings.TrimSuffix(line, "\n")))
			}
		}
	}
	if syntax.ValidName(name) {
		c.assignList(c.sc, c.place, name, v)
	}
	return text("")
}
