package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

// eval runs its arguments, joined, as shell code.
func (c *call) eval() value {
	args := c.args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	return c.shell(value{strings.Join(args, " ")}, "eval")
}

// source runs a file.
func (c *call) source() value {
	if len(c.args) == 0 {
		return text("")
	}
	name := c.args[0]
	if plain(name) != "-" {
		c.role(roleFile, name, nil)
	}
	content := c.content(c.sc, name)
	if len(c.args) > 1 {
		c.arguments(c.args[1:])
	}
	if len(content) == 1 && content[0] == string([]byte{holeFile}) && !isDescriptor(name) {
		return unknown // a file that the program did not write: said above
	}
	return c.shell(content, c.name)
}

// exec replaces the shell.
func (c *call) exec() value {
	for i := 0; i < len(c.args); i++ {
		switch a := plain(c.args[i]); {
		case a == "-a":
			i++
		case a == "--" && i+1 < len(c.args):
			return c.invoke(c.args[i+1:])
		case strings.HasPrefix(a, "-"):
		default:
			return c.invoke(c.args[i:])
		}
	}
	c.interp.input = c.stdin // there is no command: the redirections stay
	return text("")
}

// commandBuiltin runs a command past functions.
func (c *call) commandBuiltin() value {
	for i, a := range c.args {
		switch p := plain(a); {
		case p == "-v" || p == "-V":
			return unknown
		case strings.HasPrefix(p, "-"):
		case hasHole(a) || isPattern(a):
			return c.invoke(c.args[i:])
		default:
			d := *c
			d.written, d.args = p, c.args[i+1:]
			if i := strings.LastIndexByte(p, '/'); i >= 0 {
				return c.invoke(append(fields{a}, d.args...))
			}
			d.name = p
			return d.known()
		}
	}
	return text("")
}

// trap keeps code for later; it is read now.
func (c *call) trap() value {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(plain(args[0]), "-") && len(args[0]) > 1 {
		args = args[1:]
	}
	if len(args) > 1 {
		c.interp.run(c.sc.layer(), c.place, value{args[0]}, "trap", unknown)
		if t := (trapped{c.place, args[0]}); len(c.traps) < maxTurns && !slices.Contains(c.traps, t) {
			c.traps = append(c.traps, t)
		}
	}
	return text("")
}

// alias gives a word another meaning, which no parser sees.
func (c *call) alias() value {
	for _, a := range c.args {
		name, code, ok := strings.Cut(a, "=")
		if !ok {
			continue
		}
		c.fact(c.place, analysis.Fact{
			Capability: palisade.CapObfuscation, Symbol: "alias " + strings.ToValidUTF8(shown(name), "…"), Kind: analysis.KindShadow,
			Evidence: "the word comes to mean " + shown(code),
		})
		c.interp.run(c.sc.layer(), c.place, value{code}, "alias", unknown)
	}
	return text("")
}

// hash says where commands are.
func (c *call) hash() value {
	for i, a := range c.args {
		if plain(a) == "-p" && i+1 < len(c.args) {
			c.path(c.sc, c.place, palisade.CapRunFile, c.args[i+1], "hash -p")
			c.report(palisade.CapObfuscation, "a command's name comes to mean another file", analysis.KindShadow)
		}
	}
	return text("")
}

func (c *call) kill() value {
	for i := 0; i < len(c.args); i++ {
		a := plain(c.args[i])
		switch {
		case a == "-l" || a == "-L":
			return text("TERM\n")
		case a == "-s" || a == "-n":
			i++
		case i == 0 && strings.HasPrefix(a, "-") && a != "--":
		case a == "-0" || a == "--":
		default:
			c.role(roleKill, c.args[i], nil)
		}
	}
	return text("")
}

func (c *call) shopt() value {
	on := false
	for _, a := range c.args {
		switch p := plain(a); {
		case strings.HasPrefix(p, "-") && strings.Contains(p, "s"):
			on = true
		case on && p == "lastpipe":
			c.lastPipe = true
		case on && (p == "expand_aliases" || p == "cdable_vars" || hasHole(a)):
			c.lastPipe = true
			c.report(palisade.CapObfuscation, "words may come to mean something else than what they say", analysis.KindShadow)
		}
	}
	return text("")
}

// enable -f loads native code into the shell.
func (c *call) enable() value {
	for i, a := range c.args {
		if plain(a) == "-f" && i+1 < len(c.args) {
			c.role(roleNative, c.args[i+1], nil)
		}
	}
	return text("")
}

// bind -x runs commands when keys are pressed.
func (c *call) bind() value {
	for i, a := range c.args {
		switch plain(a) {
		case "-x":
			if i+1 < len(c.args) {
				_, code, _ := strings.Cut(c.args[i+1], ":")
				c.interp.run(c.sc.layer(), c.place, value{strings.Trim(code, " '\"")}, "bind -x", unknown)
			}
		case "-f":
			if i+1 < len(c.args) {
				c.role(roleRead, c.args[i+1], nil)
			}
		}
	}
	return text("")
}

// complete -C and compgen -C run commands, and -W expands words.
func (c *call) complete() value {
	a := c.sort(parseRow("-o= -A= -G= -W= -F= -C= -X= -P= -S= -V="), false)
	switch {
	case c.name != "compgen":
	case a.flag("-u", "-g"):
		c.reads("/etc/passwd")
	case a.flag("-f", "-d"):
		c.reads(a.operands...)
	}
	for i := 0; i+1 < len(c.args); i++ {
		switch plain(c.args[i]) {
		case "-C":
			c.shell(value{c.args[i+1]}, c.name+" -C")
		case "-F":
			c.invoke(fields{c.args[i+1]})
		case "-G":
			c.reads(c.args[i+1])
		case "-A":
			if what := plain(c.args[i+1]); what == "user" || what == "group" || what == "hostname" {
				c.reads("/etc/passwd")
			}
		case "-W":
			for _, s := range []string{c.args[i+1]} {
				if strings.ContainsAny(s, "$`") || hasHole(s) {
					c.shell(value{": " + plain(s)}, c.name+" -W")
				}
			}
		}
	}
	return unknown
}

// history reads and writes the file that it is given.
func (c *call) history() value {
	a := c.sort(parseRow("-d="), false)
	switch {
	case a.flag("-w", "-a"):
		c.writes(a.operands...)
	case a.flag("-r", "-n"):
		c.reads(a.operands...)
	}
	return unknown
}

// fc edits and runs old commands.
func (c *call) fc() value {
	for i, a := range c.args {
		if plain(a) == "-e" && i+1 < len(c.args) {
			c.shell(value{c.args[i+1]}, "fc -e")
		}
		if p := plain(a); strings.HasPrefix(p, "-") && strings.Contains(p, "l") {
			return unknown
		}
	}
	c.unresolved(c.place, "fc", "runs commands from the history")
	return unknown
}

// let evaluates its arguments; with a computed one it was not parsed as such.
func (c *call) let() value {
	for _, a := range c.args {
		if name, _, ok := strings.Cut(plain(a), "="); ok {
			if name = strings.TrimRight(name, "+-*/%&|^<>"); syntax.ValidName(name) {
				c.sc.set(name, variable{value: unknown})
			}
		}
		c.evaluated(c.sc, c.place, value{a}, 0)
	}
	return text("")
}

// poison reports a variable whose value decides what other programs do.
func (in *interp) poison(sc *scope, p place, name string, v value) {
	what, why := poisonous(name)
	switch {
	case namesFile(name):
		for _, s := range v {
			if !strings.HasPrefix(name, "GIT_TRACE") || strings.HasPrefix(s, "/") {
				in.path(sc, p, palisade.CapWritePath, s, "$"+name)
			}
		}
		return
	case what == "":
		return
	}
	for _, s := range v {
		if name == "PATH" && usualPath(s) || harmless(name, plain(s)) {
			continue
		}
		in.fact(p, analysis.Fact{
			Capability: what, Symbol: "$" + name, Argument: strings.ToValidUTF8(shown(s), "…"), Kind: analysis.KindShadow,
			Evidence: why,
		})
		if runsText(name) {
			in.run(sc.layer(), p, value{s}, "$"+name, unknown)
		}
	}
}

// namesFile reports whether a variable names what other programs write. Source:
// git(1), "Environment Variables"; Node.js 20, "Environment variables".
func namesFile(name string) bool {
	switch name {
	case "TMPDIR", "TMP", "TEMP", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE", "GIT_COMMON_DIR", "NODE_V8_COVERAGE",
		"NODE_REDIRECT_WARNINGS", "NODE_REPL_HISTORY", "PYTHONPYCACHEPREFIX", "COVERAGE_FILE", "LESSHISTFILE":
		return true
	}
	return strings.HasPrefix(name, "GIT_TRACE")
}

// poisonous says what a variable can make other programs do. Source: ld.so(8),
// bash(1), git(1), the manuals of the interpreters.
func poisonous(name string) (palisade.Capability, string) {
	switch name {
	case "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "GCONV_PATH", "LD_DEBUG_OUTPUT",
		"GLIBC_TUNABLES", "OPENSSL_CONF", "OPENSSL_MODULES", "LOCPATH", "NLSPATH":
		return palisade.CapNative, "decides which native code other programs load"
	case "PATH", "BASH_ENV", "ENV", "CDPATH", "SHELLOPTS", "BASHOPTS", "GLOBIGNORE", "EXECIGNORE", "SHELL", "TERMINFO", "INPUTRC",
		"GIT_EXEC_PATH", "GIT_DIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_TEMPLATE_DIR",
		"PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONUSERBASE", "PYTHONWARNINGS",
		"PERL5OPT", "PERL5LIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "NODE_PATH", "LUA_INIT", "LUA_PATH", "PHPRC", "PHP_INI_SCAN_DIR",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "MAVEN_OPTS", "R_PROFILE", "R_ENVIRON", "MAKEFLAGS", "MAKEFILES",
		"TAR_OPTIONS", "RSYNC_OPTIONS", "GREP_OPTIONS", "ZIPOPT", "WGETRC", "CURL_HOME", "NPM_CONFIG_SCRIPT_SHELL", "npm_config_script_shell",
		"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "GOFLAGS", "RUSTC_WRAPPER", "PSQLRC", "SQLITE_HISTORY", "VIMINIT", "EXINIT", "HISTFILE", "BASH_ALIASES", "BASH_CMDS", "LESS", "MORE", "TEXTDOMAIN", "TEXTDOMAINDIR":
		return palisade.CapObfuscation, "decides what other programs run or load"
	}
	if runsText(name) || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "BASH_FUNC_") {
		return palisade.CapObfuscation, "is run by other programs"
	}
	return "", ""
}

// runsText reports whether the value of a variable is run as a command line.
func runsText(name string) bool {
	switch name {
	case "PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "PSQL_PAGER", "AWS_PAGER", "BAT_PAGER", "DELTA_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR",
		"GIT_SEQUENCE_EDITOR", "SUDO_EDITOR", "SYSTEMD_EDITOR", "FCEDIT", "HGEDITOR", "SVN_EDITOR", "CVSEDITOR", "KUBE_EDITOR", "PSQL_EDITOR",
		"GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "RSYNC_RSH", "CVS_RSH",
		"SVN_SSH", "LESSOPEN", "LESSCLOSE", "BROWSER", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4", "MAILER", "TERMINAL", "CC_WRAPPER", "TMUX_CMD":
		return true
	}
	return false
}

// usualPath reports whether each folder of a search path is the system's, or
// what was in the path before.
func usualPath(s string) bool {
	for dir := range strings.SplitSeq(plain(s), ":") {
		switch {
		case hasHole(dir) && (prefix(dir) == "" && suffix(dir) == ""):
		case systemFolder(dir), strings.HasPrefix(dir, "/usr/") && !hasHole(dir), strings.HasPrefix(dir, "/opt/") && !hasHole(dir):
		default:
			return false
		}
	}
	return true
}

// harmless reports whether a value of such a variable is what one would expect.
func harmless(name, s string) bool {
	switch name {
	case "PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "PSQL_PAGER", "AWS_PAGER", "BAT_PAGER":
		return s == "" || s == "cat" || s == "less" || s == "more" || s == "less -R" || s == "less -FRX"
	case "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR":
		return s == "" || s == "vi" || s == "vim" || s == "nano" || s == "true" || s == ":" || s == "emacs"
	case "GIT_ASKPASS", "SSH_ASKPASS":
		return s == "" || s == "true" || s == "/bin/true" || s == "echo"
	case "PS0", "PS1", "PS2", "PS4":
		return !strings.ContainsAny(decodeANSI(s), "$`") && !hasHole(s) // \044 is a $ there
	case "LESS", "MORE":
		return !strings.ContainsAny(s, "+!|/") && !hasHole(s)
	case "SHELL":
		return s == "/bin/bash" || s == "/bin/sh" || s == "/usr/bin/bash"
	case "HISTFILE":
		return s == "" || s == "/dev/null"
	case "PYTHONWARNINGS":
		return !strings.Contains(s, ".")
	case "CDPATH", "BASH_ENV", "ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP":
		return s == ""
	}
	return false
}
