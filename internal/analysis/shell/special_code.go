package shell

import (
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// shellCommand is sh and its kin: text, a file, or standard input.
func (c *call) shellCommand(_ row) value {
	code, isText, input, interactive := "", false, false, false
	i := 0
	for ; i < len(c.args); i++ {
		a := plain(c.args[i])
		if len(a) < 2 || a[0] != '-' && a[0] != '+' || hasHole(c.args[i]) && prefix(c.args[i]) == "" {
			break
		}
		switch {
		case a == "--":
			i++
		case a == "--rcfile" || a == "--init-file":
			if i+1 < len(c.args) {
				i++
				c.role(roleFile, c.args[i], nil)
			}
			continue
		case a == "-o" || a == "+o" || a == "-O" || a == "+O":
			if i+1 < len(c.args) {
				i++
				if o := plain(c.args[i]); o == "posix" || o == "expand_aliases" {
					c.report(palisade.CapObfuscation, "a mode of the shell in which the same text means something else", analysis.KindShadow)
				}
			}
			continue
		case strings.HasPrefix(a, "--command="):
			code, isText = c.args[i][len("--command="):], true
			continue
		case strings.HasPrefix(a, "--"), strings.HasPrefix(a, "-Command"), strings.HasPrefix(a, "-File"):
			continue
		default:
			interactive = interactive || strings.Contains(a, "i")
			isText = isText || strings.Contains(a, "c")
			input = input || strings.Contains(a, "s")
			continue
		}
		break
	}
	rest := c.args[min(i, len(c.args)):]
	if isText && code == "" {
		if len(rest) == 0 {
			return text("")
		}
		code, rest = rest[0], rest[1:]
	}
	foreign := !slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash", "rzsh", "posh", "yash", "osh"}, c.name)
	if foreign {
		c.report(palisade.CapEvaluate, "a shell of another language", analysis.KindComputed)
		c.unresolved(c.place, c.name, "no reader for the language of "+c.name)
	}
	inner := c.sc.layer()
	inner.locals = map[string]bool{}
	d := *c
	d.sc = inner
	switch {
	case isText:
		if len(rest) > 0 {
			inner.set(keyName, variable{value: value{rest[0]}})
			d.arguments(rest[1:])
		} else {
			d.arguments(nil)
		}
		return d.shell(value{code}, c.name+" -c")
	case input:
		d.arguments(rest)
	case len(rest) > 0 && plain(rest[0]) != "-":
		c.mayBeOption(rest[0])
		d.arguments(rest[1:])
		return d.runFile(rest[0])
	}
	if interactive && has(squash(c.stdin), holeNetwork) {
		c.report(palisade.CapRemoteCode, "an interactive shell that listens to the network", analysis.KindComputed)
	}
	if len(c.stdin) == 1 && c.stdin[0] == string([]byte{holeInput}) && !interactive {
		c.unresolved(c.place, c.name, "runs its standard input")
		return unknown
	}
	return d.shell(c.stdin, c.name)
}

// mayBeOption reports that a word where a script's name is expected may as well
// be an option that makes code of the next one.
func (c *call) mayBeOption(s string) {
	if firstHole(s) == 0 {
		c.unresolved(c.place, c.name, "runs something whose name is not known")
	}
}

// runFile runs a script, which is read if the program wrote it.
func (c *call) runFile(name string) value {
	c.role(roleFile, name, nil)
	content := c.content(c.sc, name)
	if len(content) == 1 && content[0] == string([]byte{holeFile}) {
		return unknown
	}
	if l, ok := languageOf(c.name); ok && l != palisade.Shell {
		for _, s := range content {
			c.embed(l, "", s, c.name+" "+shown(name))
		}
		return unknown
	}
	return c.shell(content, c.name+" "+shown(name))
}

// scripts are the texts of a file of code that is not shell code: what the
// program wrote to it, or what comes through a descriptor. A file that it did
// not write is known by its name.
func (c *call) scripts(name string) value {
	content := c.content(c.sc, name)
	if len(content) == 1 && content[0] == string([]byte{holeFile}) && plain(name) != "-" && !isDescriptor(name) {
		return nil
	}
	return content
}

// languageOf is the language that an interpreter runs, where a reader knows it.
func languageOf(name string) (palisade.Language, bool) {
	switch strings.TrimRight(name, "0123456789.") {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash":
		return palisade.Shell, true
	case "python", "pypy", "ipython", "micropython", "jython":
		return palisade.Python, true
	case "node", "nodejs", "deno", "bun", "qjs", "d", "jsc", "electron":
		return palisade.JavaScript, true
	case "tsx", "ts-node":
		return palisade.TypeScript, true
	}
	return "", false
}

// interpreterRow are the options of interpreters: what runs text is marked s.
// Source: the manual of each.
func interpreterRow(name string) string {
	switch l, _ := languageOf(name); l {
	case palisade.Python:
		return "-c=s -m=_ -W= -X= -Q="
	case palisade.JavaScript, palisade.TypeScript:
		return "-e=s --eval=s -p=s --print=s -pe=s -r=f --require=f --import=f --loader=f --experimental-loader=f --test-global-setup=f --test-reporter=_ --test-reporter-destination=w -C= --input-type= --env-file=r --env-file-if-exists=r " +
			"--cpu-prof? --heap-prof? --test? --watch? --cpu-prof-dir=w --heap-prof-dir=w --diagnostic-dir=w --report-dir=w --report-directory=w --redirect-warnings=w --trace-event-file-pattern=w --openssl-config=N --icu-data-dir=r --watch-path=r"
	}
	switch name {
	case "perl":
		return "-e=s -E=s -i? -I=r -M=s -m=s -F= -l? -0? -x? -C? -D? -V?"
	case "ruby", "irb":
		return "-e=s -I=r -r=f -i? -F= -C= -E= -K= -x? -W? -0?"
	case "php":
		return "-r=s -R=s -B=s -E=s -f=f -F=f -S=l -t= -c=f -d=s -z=N"
	case "gnuplot", "lua", "luajit", "julia", "elixir", "R", "Rscript", "octave", "groovy", "scala", "swipl", "raku", "crystal", "matlab", "racket", "sbcl", "emacsclient", "jshell", "nim":
		return "-e=s -E=s --eval=s -l=f -i? -L=f --load=f -r=f -f=f -g=s -c=s --file=f -p=s -batch=s --exec=s -W= -t= -q -s="
	case "java", "kotlin", "dart":
		return "-cp=r -classpath=r -jar=f -javaagent=N -agentlib=N -agentpath=N"
	case "tclsh", "wish", "expect", "guile", "scheme", "ghci", "runghc", "ocaml", "erl":
		return "-c=s -e=s -eval=s -f=f -l=f -ex=s -i? -s="
	}
	switch name {
	case "m4":
		return "-o=w -D= --define= -U= -I=r --include=r -R=f -F=w -d? -B= -H= -L= -l="
	case "gs", "ghostscript":
		return "-c=s -f=f -o=w -I=r -d? -s? -r?"
	}
	return "-e=s -c=s -f=f -l=f"
}

// interpreter runs text, a file or standard input in another language.
func (c *call) interpreter(_ row) value {
	a := c.sort(parseRow(interpreterRow(c.name)), true)
	c.report(palisade.CapEvaluate, "runs a program in its language", analysis.KindUse)
	l, readable := languageOf(c.name)
	code := false
	for _, s := range a.values {
		switch {
		case s.name == "-m" && l == palisade.Python:
			return c.module(s.value, a.operands)
		case s.role == roleShell && readable:
			code = true
			c.embed(l, "", s.value, c.name+" "+s.name)
		case s.role == roleShell:
			code = true
			c.foreignCode(s.value, s.name)
		case s.role == roleFile && strings.HasPrefix(strings.ToLower(plain(s.value)), "data:"):
			c.unresolved(c.place, c.name, "runs the code in an address")
		case s.role == roleFile && readable:
			c.runFile(s.value)
		default:
			c.role(s.role, s.value, nil)
		}
	}
	if l == palisade.JavaScript && a.flag("--inspect", "--inspect-brk", "--inspect-wait") {
		c.effect(palisade.CapListen, "", "a debugger that waits for connections")
	}
	if code {
		for _, o := range a.operands {
			if strings.Contains(plain(o), "/") {
				c.unresolved(c.place, c.name, "is given the path "+shown(o))
			}
		}
		return c.depends()
	}
	if len(a.operands) > 0 && plain(a.operands[0]) != "-" && plain(a.operands[0]) != "/dev/stdin" {
		c.mayBeOption(a.operands[0])
		return c.runFile(a.operands[0])
	}
	if a.flag("--version", "-V", "-v", "--help", "-h") {
		return unknown
	}
	if len(c.stdin) == 1 && c.stdin[0] == string([]byte{holeInput}) {
		c.unresolved(c.place, c.name, "runs its standard input")
		return unknown
	}
	for _, s := range c.stdin {
		if readable {
			c.embed(l, "", s, c.name+" < standard input")
		} else {
			c.foreignCode(s, "< standard input")
		}
	}
	return c.depends()
}

// foreignCode is code in a language that has no reader. What is plainly written
// in it is looked at all the same.
func (c *call) foreignCode(code, how string) {
	c.interp.computed(c.place, code, c.name+" "+how)
	c.fact(c.place, analysis.Fact{
		Capability: palisade.CapUnresolved, Symbol: c.name + " " + how, Argument: strings.ToValidUTF8(shown(code), "…"), Unknown: true, Kind: analysis.KindText,
		Evidence: "no reader for the language of " + c.name,
	})
	c.literals(code)
}

// literals reports the paths and addresses that stand in the strings of some
// code.
func (c *call) literals(code string) {
	for _, quote := range []string{`"`, "'"} {
		parts := strings.Split(plain(code), quote)
		for i := 1; i < len(parts) && i < 200; i += 2 {
			s := parts[i]
			switch {
			case analysis.IsURL(s):
				c.peer(c.place, s, c.name)
			case strings.HasPrefix(s, "/") && len(s) > 1 && !strings.ContainsAny(s, " \n\t()*+?"), strings.HasPrefix(s, "~/"):
				c.writes(s)
			}
		}
	}
}

// module is python -m.
func (c *call) module(name string, args fields) value {
	switch m := plain(name); m {
	case "http.server", "SimpleHTTPServer", "smtpd", "pydoc", "xmlrpc.server", "jupyter", "notebook", "flask", "uvicorn", "gunicorn":
		c.effect(palisade.CapListen, m, "python -m "+m)
	case "pip", "pip3", "ensurepip", "venv", "virtualenv", "easy_install", "conda", "pipx", "uv", "build", "twine", "setuptools":
		d := *c
		d.name, d.args = "pip", args
		if m != "pip" && m != "pip3" {
			d.effect(palisade.CapInstall, m, "python -m "+m)
			return unknown
		}
		return d.packages(row{})
	case "json.tool", "calendar", "this", "base64", "zipfile", "tarfile", "gzip", "compileall", "py_compile", "tokenize", "ast", "dis",
		"timeit", "cProfile", "profile", "trace", "unittest", "pytest", "doctest", "pdb", "site", "sysconfig", "platform", "uuid", "black", "ruff", "mypy", "flake8", "pylint":
		for _, a := range args {
			if !strings.HasPrefix(plain(a), "-") {
				c.role(roleBoth, a, nil)
			}
		}
		if m == "timeit" || m == "pdb" || m == "cProfile" || m == "trace" || m == "profile" {
			c.unresolved(c.place, c.name, "runs what it is given: python -m "+m)
		}
	default:
		if hasHole(name) {
			c.unresolved(c.place, c.name, "runs a module whose name is computed")
			return unknown
		}
		c.embed(palisade.Python, "", "import "+m+"\n", "python -m "+m)
		c.fact(c.place, analysis.Fact{Capability: palisade.CapUnresolved, Symbol: "python -m", Argument: m, Kind: analysis.KindName, Evidence: "what the module does as a program is not known"})
	}
	return unknown
}

// database is a client that runs statements.
func (c *call) database(_ row) value {
	options, dialect := "-c=s --command=s -e=s --execute=s --eval=s -f=f --file=f -h=p --host=p -o=w --output=w -U= -u= -p? -P= -d= --dbname= -v= -L=w --log-file=w -S= -D= --user= --password? --port= -Q=s -q=s -i=f -n= -a=c --tls", ""
	switch c.name {
	case "psql", "pgcli", "cockroach":
		dialect = "postgresql"
	case "mysql", "mariadb", "mycli":
		dialect, options = "mysql", options+" -N -s -B -t -H -G"
	case "sqlite3", "sqlite", "litecli", "duckdb":
		dialect, options = "sqlite", "-init=f -cmd=s -separator= -newline= -nullvalue= -mmap= -vfs=N -A? -c=s -s=s -f=f"
	}
	a := c.sort(parseRow(options), false)
	operands := a.operands
	statements := value{}
	for _, s := range a.values {
		if s.role == roleShell {
			statements = join(statements, value{s.value})
			continue
		}
		c.role(s.role, s.value, nil)
	}
	if dialect == "sqlite" {
		if len(operands) > 0 && plain(operands[0]) != ":memory:" {
			c.writes(operands[0])
		}
		for _, o := range operands[min(1, len(operands)):] {
			statements = join(statements, value{o})
		}
	} else {
		if _, named := a.value("-h", "--host"); !named { // the table reports one that is
			host := "localhost"
			for _, o := range operands {
				if analysis.IsURL(plain(prefix(o))) || strings.Contains(plain(o), "host=") {
					host = o
				}
			}
			c.peer(c.place, host, c.name)
		}
	}
	if len(statements) == 0 && !a.flag("-f", "--file", "-l", "--list", "--version", "-V") {
		statements = c.stdin
	}
	for _, s := range statements {
		c.statement(dialect, s)
	}
	return value{worst(string([]byte{holeNetwork}) + squash(c.stdin))}
}

// statement hands a statement to the reader of SQL; what the client itself
// would run is read here. Source: psql(1) \!, mysql(1) system, sqlite3 .shell.
func (c *call) statement(dialect, s string) {
	if dialect == "" {
		c.foreignCode(s, "statement")
		return
	}
	rest := make([]string, 0, 8)
	for line := range strings.SplitSeq(s, "\n") {
		t := strings.TrimSpace(plain(line))
		word, arg, _ := strings.Cut(t, " ")
		switch {
		case strings.HasPrefix(t, `\!`):
			c.shell(value{strings.TrimPrefix(t, `\!`)}, c.name+` \!`)
		case word == "system" || word == ".shell" || word == ".system" || word == ".sh":
			c.shell(value{arg}, c.name+" "+word)
		case strings.HasPrefix(t, `\`) || strings.HasPrefix(t, ".") || word == "source" || word == "tee" || word == "pager":
			c.clientCommand(dialect, word, arg)
		default:
			rest = append(rest, line)
		}
	}
	c.embed(palisade.SQL, dialect, strings.Join(rest, "\n"), c.name)
}

func (c *call) clientCommand(dialect, word, arg string) {
	arg = strings.Trim(strings.TrimSpace(arg), `'"`)
	switch word {
	case ".load":
		c.role(roleNative, arg, nil)
	case `\i`, `\ir`, `\include`, `\.`, ".read", "source":
		if code, ok := strings.CutPrefix(arg, "|"); ok {
			c.shell(value{code}, c.name)
			return
		}
		c.role(roleFile, arg, nil)
		if content := c.scripts(arg); !c.including {
			d := *c
			d.including = true
			for _, s := range content {
				d.statement(dialect, s)
			}
		} else if content != nil { // it may include itself
			c.unresolved(c.place, c.name, "a file that a file includes: "+shown(arg))
		}
	case `\o`, `\w`, ".output", ".once", ".backup", ".save", ".dump", "tee", ".log", ".clone":
		if code, ok := strings.CutPrefix(arg, "|"); ok {
			c.shell(value{code}, c.name)
			return
		}
		c.writes(arg)
	case "pager":
		c.shell(value{arg}, c.name+" pager")
	case `\copy`, ".import", `\lo_import`, `\lo_export`, ".restore", ".open", ".archive", ".ar", ".edit":
		c.unresolved(c.place, c.name, "a command of the client: "+shown(word+" "+arg))
	}
}
