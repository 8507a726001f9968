package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

// skipped are the operands that a wrapper takes before the command that it
// runs, and its options that have a value.
func skipped(name string) (operands int, options string) {
	switch name {
	case "timeout":
		return 1, "-k= --kill-after= -s= --signal="
	case "taskset":
		return 1, "-p? -c?"
	case "faketime", "runcon", "with-lock-ex", "setlock", "envdir", "setuidgid", "envuidgid", "s6-setuidgid", "setarch":
		return 1, "-f= -u= -r= -t= -l="
	case "flock", "lockfile":
		return 1, "-c=s --command=s -w= --timeout= -E= -s -x -n -u -o"
	case "nice", "renice":
		return 0, "-n= --adjustment="
	case "ionice":
		return 0, "-c= -n= -p= --class= --classdata="
	case "chrt":
		return 1, "-T= -P= -D="
	case "stdbuf":
		return 0, "-i= -o= -e= --input= --output= --error="
	case "time", "multitime":
		return 0, "-f= --format= -o=w --output=w -n="
	case "systemd-run", "cgexec", "systemd-inhibit", "systemd-cat":
		return 0, "-p= --property= -u= --unit= -g= -E= --setenv= --uid=v --gid=v --slice= --what= --who= --why= --mode= -t= -M=v"
	case "start-stop-daemon", "daemon", "daemonize":
		return 0, "-x=x --exec=x -a=x --startas=x -p=w --pidfile=w -c=v --chuid=v -u= --user= -d= --chdir= -N= -o=w -e=w -l=w -n= --name= -s= --signal="
	case "xvfb-run", "hyperfine", "watchexec", "reflex", "nodemon", "entr":
		return 0, "-a -s= -n= -e= -w= -f= -r? --warmup= --runs= --prepare=s --exec=s -x=s --watch= --ext= -p= --setup=s --cleanup=s"
	case "proxychains", "proxychains4", "torify", "torsocks", "direnv", "dotenv", "aws-vault", "ccache", "distcc":
		return 0, "-f=r -u=c -p=c"
	case "prlimit", "choom", "uclampset", "cpulimit", "rlwrap", "qemu-x86_64":
		return 0, "-n= -p= -l= -e= -c= -a= -f=r -L="
	}
	return 0, ""
}

// wrapper is a command that runs the rest of its line.
func (c *call) wrapper(_ row) value {
	operands, options := skipped(c.name)
	a := c.sort(parseRow(options), true)
	for _, s := range a.values {
		if s.role == roleCommand {
			c.invoke(append(fields{s.value}, a.operands...))
			continue
		}
		c.role(s.role, s.value, nil)
	}
	switch {
	case c.name == "flock" && len(a.operands) > 2 && plain(a.operands[1]) == "-c":
		c.writes(a.operands[0])
		return c.shell(value{a.operands[2]}, "flock -c")
	case c.name == "flock" && len(a.operands) > 0:
		c.writes(a.operands[0])
	case c.name == "hyperfine" || c.name == "watchexec":
		for _, o := range a.operands {
			c.shell(value{o}, c.name)
		}
		return unknown
	case c.name == "setarch" && len(a.operands) > 0 && isCommand(plain(a.operands[0])):
		operands = 0
	}
	if len(a.operands) <= operands {
		return c.depends()
	}
	return c.invoke(a.operands[operands:])
}

// env changes the environment of a command, or shows it.
func (c *call) env(_ row) value {
	args := c.args
	restore := func() {}
	defer func() { restore() }()
	for i := 0; i < len(args); i++ {
		a := args[i]
		p := plain(a)
		switch name, v, isAssignment := strings.Cut(a, "="); {
		case c.name == "printenv" && !strings.HasPrefix(p, "-"):
			c.role(roleName, a, nil)
		case p == "-S" || p == "--split-string" || strings.HasPrefix(p, "-S") || strings.HasPrefix(p, "--split-string=") || strings.HasPrefix(p, "-vS"):
			return c.splitString(args[i:])
		case p == "-u" || p == "--unset" || p == "-a" || p == "--argv0":
			i++
		case p == "-C" || p == "--chdir":
			if i+1 < len(args) {
				i++
				c.sc = c.sc.layer()
				c.sc.set(keyFolder, variable{value: text(c.absolute(c.sc, args[i]))})
			}
		case strings.HasPrefix(p, "--chdir="):
			c.sc = c.sc.layer()
			c.sc.set(keyFolder, variable{value: text(c.absolute(c.sc, a[len("--chdir="):]))})
		case strings.HasPrefix(p, "-"):
		case isAssignment && !hasHole(name):
			if syntax.ValidName(plain(name)) {
				c.sc = c.sc.layer()
				c.assign(c.sc, c.place, plain(name), value{v})
			} else {
				c.poison(c.sc, c.place, plain(name), value{v})
			}
		case isAssignment && prefix(name) == "":
			c.unresolved(c.place, c.name, "sets a variable whose name is computed")
		default:
			return c.external(args[i:])
		}
	}
	if c.name == "env" || len(c.args) == 0 {
		c.fact(c.place, analysis.Fact{Capability: palisade.CapEnvironment, Symbol: c.name, Evidence: "shows the whole environment", Unknown: true})
	}
	return unknown
}

// splitString is env -S: a line that is split into a command.
func (c *call) splitString(args fields) value {
	first := args[0]
	for _, lead := range []string{"--split-string=", "-vS", "-S"} {
		if rest, ok := strings.CutPrefix(first, lead); ok {
			first = rest
			break
		}
	}
	rest := args[1:]
	if (first == "" || plain(first) == "--split-string") && len(rest) > 0 {
		first, rest = rest[0], rest[1:]
	}
	var argv fields
	for _, f := range strings.Fields(decodeANSI(first)) {
		argv = append(argv, strings.Trim(f, `"'`))
	}
	d := *c
	d.args = append(argv, rest...)
	return d.env(row{})
}

// external runs a command that is no part of this shell: functions do not hide
// it.
func (c *call) external(argv fields) value {
	if hasHole(argv[0]) || isPattern(argv[0]) {
		return c.invoke(argv)
	}
	d := *c
	d.args = append(fields{}, argv...)
	if b := builtin(plain(argv[0])); b != nil || len(c.functions[plain(argv[0])]) == 0 {
		return c.invoke(argv)
	}
	return d.commandBuiltin()
}

// xargs runs a command with what it reads as operands.
func (c *call) xargs(_ row) value {
	r := parseRow("-a=r --arg-file=r -d= --delimiter= -E= -e? --eof? -I= -i? --replace? -L= -l? --max-lines? -n= --max-args= -P= --max-procs= -s= --max-chars= --process-slot-var= -J= -R= -S=")
	a := c.sort(r, true)
	input := c.stdin
	if file, ok := a.value("-a", "--arg-file"); ok {
		c.reads(file)
		input = c.content(c.sc, file)
	}
	mark, replaces := a.value("-I", "-i", "--replace", "-J")
	if !replaces && (a.flag("-i", "--replace")) {
		mark, replaces = "{}", true
	}
	argv := a.operands
	if len(argv) == 0 {
		argv = fields{"echo"}
	}
	out := value{}
	for _, s := range input {
		items := strings.Fields(plain(s))
		if replaces || a.flag("-0", "--null", "-d", "--delimiter") || hasHole(s) {
			items = strings.FieldsFunc(plain(s), func(r rune) bool { return r == '\n' || r == '\x00' })
		}
		items = items[:min(len(items), maxTurns)]
		if replaces || plain(mark) != "" {
			for _, item := range items {
				out = join(out, c.replaced(argv, mark, item))
			}
			continue
		}
		d := *c
		d.stdin = text("")
		if has(s, markDecoded) && len(items) > 0 {
			items[0] = marked(items[0])
		}
		out = join(out, d.invoke(append(slices.Clone(argv), items...)))
	}
	if len(out) == 0 {
		return unknown
	}
	return out
}

func (c *call) replaced(argv fields, mark, item string) value {
	args := make(fields, len(argv))
	for i, a := range argv {
		args[i] = a
		if mark != "" {
			args[i] = strings.ReplaceAll(a, mark, item)
		}
	}
	d := *c
	d.stdin = text("")
	return d.invoke(args)
}

// parallel runs lines as shell code, with inputs in the place of {}.
func (c *call) parallel(_ row) value {
	r := parseRow("-a=r --arg-file=r -j= --jobs= -I= -S=p --sshlogin=p --slf=r -n= -N= -d= --delimiter= -C= --colsep= --results=w --joblog=w --tmpdir=w --workdir= --wd= --env= --timeout= --delay= --retries= -L= -P= --basefile=r")
	a := c.sort(r, true)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	cut := slices.IndexFunc(a.operands, func(s string) bool { return strings.HasPrefix(plain(s), ":::") })
	code := a.operands
	var inputs fields
	if cut >= 0 {
		code, inputs = a.operands[:cut], a.operands[cut+1:]
	} else {
		inputs = c.stdinPaths()
	}
	line := strings.Join(code, " ")
	if line == "" {
		out := value{}
		for _, in := range inputs[:min(len(inputs), maxTurns)] {
			out = join(out, c.shell(value{in}, c.name))
		}
		return join(out, text(""))
	}
	for _, in := range inputs[:min(len(inputs), maxTurns)] {
		one := line + " " + in
		if strings.Contains(line, "{") {
			one = strings.NewReplacer("{}", in, "{.}", in, "{/}", in, "{//}", in, "{/.}", in, "{1}", in, "{2}", in).Replace(line)
		}
		c.shell(value{one}, c.name)
	}
	return unknown
}

func (c *call) watch(_ row) value {
	a := c.sort(parseRow("-n= --interval= -d? --differences? -q="), true)
	if a.flag("-x", "--exec") {
		return c.invoke(a.operands)
	}
	return c.shell(value{strings.Join(a.operands, " ")}, "watch")
}

func (c *call) scriptCommand(_ row) value {
	a := c.sort(parseRow("-c=s --command=s -T=w -t? -I=w -O=w -B=w -m= -o= -E= --log-out=w --log-in=w --log-io=w"), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	if len(a.operands) > 0 {
		c.writes(a.operands[0])
	} else if !a.flag("-c", "--command") {
		c.shell(c.stdin, "script")
	}
	return unknown
}

// busybox is many commands in one.
func (c *call) busybox(_ row) value {
	if len(c.args) == 0 || strings.HasPrefix(plain(c.args[0]), "--") {
		return unknown
	}
	return c.external(c.args)
}

// multiplex is tmux and screen: they start commands elsewhere.
func (c *call) multiplex(_ row) value {
	a := c.sort(parseRow("-S= -L= -f=f -c=s -s= -t= -n= -x= -y= -e= -F= -p= -h= -X? -d? -m? -r?"), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	for i, o := range a.operands {
		switch plain(o) {
		case "new", "new-session", "new-window", "neww", "split-window", "splitw", "run-shell", "run", "if-shell", "if", "respawn-pane", "pipe-pane", "send-keys", "send", "popup", "display-popup":
			c.shell(value{strings.Join(a.operands[i+1:], " ")}, c.name)
			return unknown
		}
	}
	if len(a.operands) > 0 && c.name != "tmux" {
		return c.invoke(a.operands)
	}
	return unknown
}

// remote runs commands on other hosts.
func (c *call) remote(_ row) value {
	a := c.sort(parseRow("-w=p -g= -h=r -H=p -l= -t= -o= -e= -m=p --hosts=r --host=p"), true)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	c.effect(palisade.CapNetwork, "", "runs a command on other hosts")
	return value{string([]byte{holeNetwork})}
}

// runParts runs the files in a folder.
func (c *call) runParts(_ row) value {
	a := c.sort(parseRow("-a= --arg= -u= --umask= --regex="), false)
	c.report(palisade.CapEvaluate, "runs the files in a folder", analysis.KindUse)
	for _, o := range a.operands {
		c.runFolder(o)
	}
	return c.depends()
}

// runFolder is a folder whose files are run: those that the program wrote are
// read.
func (c *call) runFolder(name string) {
	c.role(roleFile, name, nil)
	under := strings.TrimSuffix(fileKey(c.absolute(c.sc, name)), "/") + "/"
	for _, file := range slices.Sorted(maps.Keys(c.files)) {
		if strings.HasPrefix(file, under) {
			c.script(c.files[file], c.name+" "+shown(file))
		}
	}
}
