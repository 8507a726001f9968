package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// compiler turns source into programs. Source: gcc(1), GTFOBins (-wrapper,
// -fplugin, @file).
func (c *call) compiler(_ row) value {
	a := c.sort(parseRow("-o=w -I=r -L=r -l= -D= -U= -x= -include=r -wrapper=s -B=r -specs=r -T=r -isystem=r -iquote=r -MF=w -MT= -MQ= -Xlinker= -Xclang= -target= -arch= -load=N -d=w -cp=r -classpath=r -processor= -O? -W? -f? -g? -s? -m? -std? -c? -t= --out-dir=w -C= --crate-type= --outfile=w --outdir=w"), false)
	for _, s := range a.values {
		if s.name == "-wrapper" {
			s.value = strings.ReplaceAll(s.value, ",", " ")
		}
		c.role(s.role, s.value, nil)
	}
	for _, arg := range c.args {
		switch p := plain(arg); {
		case strings.HasPrefix(p, "-fplugin="), strings.HasPrefix(p, "-fpass-plugin="):
			c.role(roleNative, p[strings.IndexByte(p, '=')+1:], nil)
		case strings.HasPrefix(p, "@"):
			c.reads(arg[1:])
		}
	}
	if c.name == "ghc" && a.flag("-e") {
		c.foreignCode(strings.Join(a.operands, " "), "-e")
		return c.depends()
	}
	c.reads(a.operands...)
	if !a.flag("-o") && len(a.operands) > 0 {
		c.writes("a.out")
	}
	return c.depends()
}

// build runs what a file in the workspace says.
func (c *call) build(_ row) value {
	if c.name == "cmake" && len(c.args) > 1 && plain(c.args[0]) == "-E" {
		return c.cmakeTool(plain(c.args[1]), c.args[2:])
	}
	a := c.sort(parseRow("-f=f --file=f --makefile=f -C=_ --directory=_ -I=r --include-dir=r -j? -l? -o= -W= --eval=_ -E=s -P=f -S=r -B=w -D= -G= -k= -m= -n= -x= -c=f --config=f -p=f --rootdir=r -t= -e= -r="), false)
	for _, s := range a.values {
		switch s.name {
		case "--eval":
			c.recipe(s.value)
		case "-C", "--directory":
			layer := c.sc.layer()
			layer.set(keyFolder, variable{value: text(c.absolute(c.sc, s.value))})
			c.sc = layer
		default:
			if plain(s.value) == "-" || plain(s.value) == "/dev/stdin" {
				for _, in := range c.stdin {
					c.recipe(in)
				}
				continue
			}
			c.role(s.role, s.value, nil)
			if s.role == roleFile {
				for _, content := range c.content(c.sc, s.value) {
					if !hasHole(content) {
						c.recipe(content)
					}
				}
			}
		}
	}
	for _, o := range a.operands {
		if name, v, ok := strings.Cut(o, "="); ok {
			if n := plain(name); n == "SHELL" || n == "CC" || n == "CXX" || n == "LD" || n == ".SHELLFLAGS" || n == "MAKEFLAGS" {
				c.shell(value{v}, c.name+" "+n)
			}
		} else if strings.Contains(plain(o), "/") {
			c.reads(o)
		}
	}
	if !a.flag("--version", "-v", "--help", "-h") {
		c.role(roleFile, ".", nil)
		for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
			if content, ok := c.files[fileKey(c.absolute(c.sc, name))]; ok && (c.name == "make" || c.name == "gmake") {
				for _, s := range content {
					c.recipe(s)
				}
			}
		}
	}
	return c.depends()
}

// cmakeTool is cmake -E: some commands of its own. Source: cmake(1).
func (c *call) cmakeTool(verb string, args fields) value {
	switch verb {
	case "rm", "remove", "remove_directory":
		c.deletes(args...)
	case "env", "time":
		return c.invoke(append(fields{"env"}, args...))
	case "chdir":
		return c.invoke(append(fields{"env", "-C"}, args...))
	default:
		for _, a := range args {
			if !strings.HasPrefix(plain(a), "-") {
				c.role(roleBoth, a, nil)
			}
		}
	}
	return c.depends()
}

// recipe reads the lines of a makefile that are run.
func (c *call) recipe(s string) {
	c.interp.computed(c.place, s, c.name)
	for line := range strings.SplitSeq(s, "\n") {
		if i := strings.Index(line, "$(shell "); i >= 0 {
			c.shell(value{strings.TrimSuffix(strings.TrimSpace(line[i+len("$(shell "):]), ")")}, c.name+" $(shell)")
		}
		code, ok := strings.CutPrefix(line, "\t")
		if !ok {
			_, code, ok = strings.Cut(line, ";")
		}
		if ok {
			code = strings.TrimLeft(code, "@-+ ")
			c.shell(value{strings.ReplaceAll(code, "$$", "$")}, c.name)
		}
	}
}

// packages is a package manager: its verbs that only look are harmless, those
// that run something run it, and all others install.
func (c *call) packages(_ row) value {
	if c.name == "bun" {
		for i, arg := range c.args {
			if p := plain(arg); (p == "-e" || p == "--eval" || p == "-p" || p == "--print") && i+1 < len(c.args) {
				c.embed(palisade.TypeScript, "", c.args[i+1], "bun -e")
			}
		}
	}
	a := c.sort(parseRow("-r=r --requirement=r -c=r -t=w --target=w --prefix=w --root=w -i=p --index-url=p --extra-index-url=p -f=r --find-links=r --proxy=p --cache-dir=w -o=_ --option=_ -n= -p= -C= --cwd= --registry=p --manifest-path=r --path=r --config=_ -D= --log=w"), true)
	for _, s := range a.values {
		switch plain(s.name) {
		case "-o", "--option": // apt -o APT::Update::Pre-Invoke::=command
			if key, code, ok := strings.Cut(s.value, "="); ok && strings.Contains(plain(key), "nvoke") {
				c.shell(value{code}, c.name+" -o")
			}
		default:
			c.role(s.role, s.value, nil)
		}
	}
	verb, rest := "", fields{}
	if len(a.operands) > 0 {
		verb, rest = plain(a.operands[0]), a.operands[1:]
	} else if len(c.args) > 0 {
		verb = plain(c.args[0])
	}
	for _, o := range rest {
		p := plain(o)
		switch {
		case strings.HasPrefix(p, "git+"), strings.HasPrefix(p, "http://"), strings.HasPrefix(p, "https://"), strings.HasPrefix(p, "git://"), strings.HasPrefix(p, "github:"), strings.HasPrefix(p, "git@"):
			c.effect(palisade.CapRemoteCode, o, "a package from an address")
			c.peer(c.place, strings.TrimPrefix(p, "git+"), c.name)
		case strings.HasPrefix(p, "./"), strings.HasPrefix(p, "/"), strings.HasPrefix(p, "../"):
			c.role(roleFile, o, nil)
		}
	}
	switch {
	case c.fetchesFor(verb, rest):
		c.effect(palisade.CapInstall, strings.Join(c.args, " "), "fetches, builds or runs a package")
		for i, o := range rest {
			if p := plain(o); (p == "-c" || p == "--command" || p == "--") && verb != "run" && i+1 < len(rest) {
				return c.invoke(rest[i+1:])
			}
		}
		return unknown
	case looks(verb):
		for _, o := range rest {
			if strings.Contains(plain(o), "/") {
				c.reads(o)
			}
		}
		return unknown
	case c.name == "npx" || c.name == "bunx" || c.name == "pnpx" || c.name == "uvx" || c.name == "pipx" && verb == "run":
		c.effect(palisade.CapInstall, strings.Join(a.operands, " "), "fetches and runs a package")
		return unknown
	case runsVerb(verb):
		return c.runVerb(verb, rest)
	}
	argument := strings.Join(append(fields{verb}, rest...), " ")
	c.fact(c.place, analysis.Fact{
		Capability: palisade.CapInstall, Symbol: c.name, Argument: strings.ToValidUTF8(plain(prefix(argument)), ""), Unknown: hasHole(argument), Kind: analysis.KindPackage, Evidence: c.how(),
	})
	return unknown
}

// looks reports whether a verb of a package manager only looks.
func looks(verb string) bool {
	switch verb {
	case "list", "show", "freeze", "search", "info", "view", "ls", "outdated", "version", "--version", "-v", "-V", "--help", "-h", "help", "check", "depends",
		"policy", "madison", "query", "config", "env", "vet", "fmt", "doc", "tree", "metadata", "why", "audit", "pkgnames", "-l", "-L", "-s", "-S", "-qa", "-qi", "-ql", "-qf",
		"-Q", "-Qi", "-Ql", "-Qs", "-Ss", "-Si", "showpkg", "dumpavail", "root", "prefix", "bin", "whoami", "provides", "repolist", "leaves", "deps", "home", "doctor", "debug", "inspect", "hash":
		return true
	}
	return false
}

// runsVerb reports whether a verb runs something of the workspace.
func runsVerb(verb string) bool {
	switch verb {
	case "run", "exec", "test", "t", "start", "build", "x", "dlx", "eval", "generate", "tool", "script", "rerun", "bench", "compile", "package", "shell", "create", "repl", "task", "e", "run-script", "mod", "clippy", "watch", "dev", "serve":
		return true
	}
	return false
}

// fetches are package managers whose exec installs what is missing.
var fetches = map[string]bool{"npm": true, "bun": true, "pnpm": true}

func (c *call) runVerb(verb string, rest fields) value {
	c.role(roleFile, ".", nil)
	switch {
	case c.name == "deno" || c.name == "bun" && verb != "x":
		if verb == "eval" && len(rest) > 0 {
			c.embed(palisade.JavaScript, "", strings.Join(rest, " "), c.name+" eval")
		}
	case (verb == "exec" || verb == "x" || verb == "e") && len(rest) > 0:
		if fetches[c.name] {
			c.effect(palisade.CapInstall, strings.Join(rest, " "), "runs a package, and fetches it where it is not there")
		}
		for i, o := range rest {
			if p := plain(o); p == "-c" && i+1 < len(rest) {
				return c.shell(value{rest[i+1]}, c.name+" exec")
			} else if !strings.HasPrefix(p, "-") {
				return c.invoke(rest[i:])
			}
		}
	case verb == "run" && (c.name == "poetry" || c.name == "pipenv" || c.name == "uv" || c.name == "conda" || c.name == "pdm" || c.name == "hatch") && len(rest) > 0:
		for len(rest) > 0 && strings.HasPrefix(plain(rest[0]), "-") {
			if opt, _, _ := strings.Cut(plain(rest[0]), "="); opt == "--with" || opt == "--with-requirements" || opt == "--with-editable" || opt == "-w" {
				c.effect(palisade.CapInstall, strings.Join(rest, " "), "runs with packages that are fetched")
			}
			rest = rest[1:]
		}
		return c.invoke(rest)
	case verb == "run" && c.name == "go":
		for _, o := range rest {
			if p := plain(o); !strings.HasPrefix(p, "-") {
				if strings.Contains(p, "@") {
					c.effect(palisade.CapInstall, o, "fetches and runs a module")
				}
				break
			}
		}
	case verb == "create" || verb == "dlx" || verb == "tool":
		c.effect(palisade.CapInstall, strings.Join(rest, " "), "fetches and runs a package")
	}
	return unknown
}

// fetchesFor reports whether a verb that elsewhere looks, or runs what is there,
// fetches here. Source: the manual of each.
func (c *call) fetchesFor(verb string, rest fields) bool {
	switch c.name {
	case "nix":
		return verb == "run" || verb == "shell" || verb == "develop" || verb == "build" || verb == "eval" || verb == "repl" || verb == "profile"
	case "cpanm":
		return !strings.HasPrefix(verb, "-") || verb == "--installdeps"
	case "cpan", "mise", "asdf", "volta", "corepack", "nvm", "rustup", "guix", "flatpak", "snap", "nuget":
		return !looks(verb)
	case "gem":
		return verb == "exec"
	case "dotnet":
		return verb == "tool"
	case "deno":
		return verb == "run" && remotePackage(rest)
	}
	return false
}

// remotePackage reports whether deno is given a program from elsewhere.
func remotePackage(rest fields) bool {
	for _, o := range rest {
		if p := plain(o); !strings.HasPrefix(p, "-") {
			return strings.HasPrefix(p, "npm:") || strings.HasPrefix(p, "jsr:") || strings.HasPrefix(p, "http:") || strings.HasPrefix(p, "https:")
		}
	}
	return false
}
