package shell

import (
	"strings"

	"palisade"
)

// sed runs a script that can read and write files, and run commands. Source:
// POSIX and GNU sed's manual: e, the flags e and w of s, r, R, w, W.
func (c *call) sed(_ row) value {
	r := parseRow("_ r* | -e=_^ --expression=_^ -f=f^ --file=f^ -i?>b --in-place?>b -l= --line-length= -I?>b")
	a := c.sort(r, false)
	scripts := value{}
	for _, s := range a.values {
		switch s.name {
		case "-e", "--expression":
			scripts = append(scripts, s.value)
		case "-f", "--file":
			scripts = append(scripts, c.scripts(s.value)...)
		}
	}
	if !a.frees && len(a.operands) > 0 {
		scripts = append(scripts, a.operands[0])
	}
	if !a.flag("--sandbox") {
		for _, s := range scripts {
			c.sedScript(s)
		}
	}
	for _, arg := range c.args { // -i/etc/*: where the copy goes
		if suffix, ok := sedSuffix(arg); ok && strings.Contains(plain(suffix), "/") {
			c.writes(suffix)
		}
	}
	c.roles(r, a)
	return value{worst(squash(c.stdin) + strings.Join(a.operands, ""))}
}

// sedSuffix is what -i makes of a file's name to keep the file as it was.
func sedSuffix(arg string) (string, bool) {
	if s, ok := strings.CutPrefix(arg, "--in-place="); ok {
		return s, true
	}
	flags, s, ok := strings.Cut(arg, "i")
	return s, ok && len(flags) > 0 && flags[0] == '-' && strings.Trim(flags[1:], "nErszu") == ""
}

// sedScript reads a script command by command.
func (c *call) sedScript(s string) {
	c.interp.step(1 + len(s)/16)
	if hasHole(s) && prefix(s) == "" {
		c.unresolved(c.place, c.name, "a script that is computed")
	}
	s = plain(s)
	for s != "" {
		s = sedAddress(strings.TrimLeft(s, " \t\n;{}"))
		if s == "" {
			return
		}
		cmd := s[0]
		s = s[1:]
		line, rest := s, ""
		if i := strings.IndexByte(s, '\n'); i >= 0 {
			line, rest = s[:i], s[i+1:]
		}
		switch cmd {
		case 'e':
			if code := strings.TrimSpace(line); code != "" {
				c.shell(value{code}, "sed e")
			} else {
				c.unresolved(c.place, c.name, "runs the lines that it reads")
			}
			s = rest
		case 'r', 'R':
			c.reads(strings.TrimSpace(line))
			s = rest
		case 'w', 'W':
			c.writes(strings.TrimSpace(line))
			s = rest
		case 'a', 'i', 'c', '#', ':', 'b', 't', 'T', 'l', 'L', 'q', 'Q', 'v':
			if cmd == 'a' || cmd == 'i' || cmd == 'c' || cmd == '#' || cmd == ':' {
				s = rest
			} else if i := strings.IndexAny(s, ";\n}"); i >= 0 {
				s = s[i:]
			} else {
				s = ""
			}
		case 's':
			s = c.sedSubstitute(s)
		case 'y':
			_, s = sedDelimited(s, 2)
		}
	}
}

// sedAddress skips the addresses before a command.
func sedAddress(s string) string {
	for s != "" {
		switch {
		case s[0] == '/':
			_, s = sedDelimited(s, 1)
		case s[0] == '\\' && len(s) > 1:
			_, s = sedDelimited(s[1:], 1)
		case strings.IndexByte("0123456789$,~+! \tIM", s[0]) >= 0:
			s = s[1:]
		default:
			return s
		}
	}
	return s
}

// sedDelimited takes n parts between a delimiter, which is the first character.
func sedDelimited(s string, n int) (parts []string, rest string) {
	if s == "" {
		return nil, ""
	}
	delimiter, start, class := s[0], 1, false
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && len(parts) == 0 && delimiter != '[':
			class = true
		case s[i] == ']' && class:
			class = false
		case s[i] == delimiter && !class, s[i] == delimiter && len(parts) > 0:
			parts = append(parts, s[start:i])
			start = i + 1
			if len(parts) == n {
				return parts, s[start:]
			}
		}
	}
	return parts, ""
}

// sedSubstitute takes s/…/…/flags.
func (c *call) sedSubstitute(s string) string {
	parts, rest := sedDelimited(s, 2)
	if len(parts) < 2 && strings.Contains(s, "[") { // an unclosed class: doubt
		if i := strings.LastIndexByte(s, s[0]); i >= 0 {
			parts, rest = []string{"", s[1:i]}, s[i+1:]
		}
	}
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case 'e':
			c.effect(palisade.CapEvaluate, "", "runs what a substitution makes")
			if len(parts) == 2 {
				c.unresolved(c.place, c.name, "runs what a substitution makes: "+shown(parts[1]))
				c.shell(value{parts[1]}, "sed s///e")
			}
		case 'w':
			line, after, _ := strings.Cut(rest[i+1:], "\n")
			c.writes(strings.TrimSpace(line))
			return after
		case 'g', 'p', 'i', 'I', 'm', 'M', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ' ', '\t':
		default:
			return rest[i:]
		}
	}
	return ""
}
