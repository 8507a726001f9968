package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

const gitRow = "-c=_ -C=_ --git-dir=r --work-tree=r --namespace= --exec-path? --config-env=_ --super-prefix= --attr-source="

// git runs its verbs, and whatever its settings say. Source: git-config(1).
func (c *call) git(_ row) value {
	if c.name != "git" {
		c.effect(palisade.CapNetwork, "", c.line())
		return network
	}
	a := c.sort(parseRow(gitRow), true)
	for _, s := range a.values {
		switch s.name {
		case "-c":
			key, v, _ := strings.Cut(s.value, "=")
			c.gitSetting(plain(key), v)
		case "-C":
			layer := c.sc.layer()
			layer.set(keyFolder, variable{value: text(c.absolute(c.sc, s.value))})
			c.sc = layer
		case "--config-env":
			c.unresolved(c.place, c.name, "takes a setting from the environment")
		case "--exec-path":
			c.role(roleFile, s.value, nil)
		default:
			c.role(s.role, s.value, nil)
		}
	}
	if len(a.operands) == 0 {
		return unknown
	}
	verb, rest := plain(a.operands[0]), a.operands[1:]
	if hasHole(verb) {
		c.unresolved(c.place, c.name, "a verb that is computed")
		return unknown
	}
	return c.gitVerb(verb, rest)
}

// gitSetting is a setting that decides what git runs.
func (c *call) gitSetting(key, v string) {
	low := strings.ToLower(key)
	name := low[strings.LastIndexByte(low, '.')+1:]
	switch {
	case strings.HasPrefix(low, "alias."):
		if code, ok := strings.CutPrefix(v, "!"); ok {
			c.shell(value{code}, "git -c "+key)
		} else {
			c.invoke(append(fields{"git"}, strings.Fields(v)...))
		}
	case low == "core.pager", strings.HasPrefix(low, "pager."), low == "core.editor", low == "sequence.editor", low == "core.sshcommand", low == "core.askpass",
		low == "core.gitproxy", low == "core.fsmonitor", low == "diff.external", low == "gpg.program", low == "credential.helper", low == "interactive.difffilter",
		low == "core.alternaterefscommand", low == "uploadpack.packobjectshook", low == "sendemail.smtpserver", low == "web.browser", low == "gc.recentobjectshook",
		name == "textconv", name == "command", name == "cmd", name == "driver", name == "clean", name == "smudge", name == "process", name == "helper", name == "program", name == "uploadpack", name == "receivepack", name == "editcmd", name == "sendmailcmd":
		code := strings.TrimPrefix(v, "!")
		if harmless("PAGER", plain(code)) || harmless("EDITOR", plain(code)) || low == "credential.helper" && (plain(code) == "store" || plain(code) == "cache") || low == "core.fsmonitor" && (plain(code) == "true" || plain(code) == "false") {
			return
		}
		c.fact(c.place, analysis.Fact{Capability: palisade.CapObfuscation, Symbol: "git " + key, Argument: strings.ToValidUTF8(shown(v), "…"), Kind: analysis.KindShadow, Evidence: "git runs what this setting says"})
		c.shell(value{code}, "git -c "+key)
	case low == "core.hookspath":
		c.runFolder(v)
	case low == "init.templatedir", low == "include.path", strings.HasPrefix(low, "includeif."), low == "core.attributesfile", low == "core.worktree":
		c.role(roleFile, v, nil)
	case low == "protocol.ext.allow" || low == "protocol.allow", low == "http.proxy", low == "http.sslverify", strings.HasPrefix(low, "url."), strings.HasPrefix(low, "safe."):
		c.fact(c.place, analysis.Fact{Capability: palisade.CapObfuscation, Symbol: "git " + key, Argument: strings.ToValidUTF8(shown(v), "…"), Kind: analysis.KindShadow, Evidence: "weakens what git checks"})
	}
}

func (c *call) gitVerb(verb string, rest fields) value {
	d := *c
	d.args = rest
	switch verb {
	case "status", "log", "diff", "show", "branch", "rev-parse", "ls-files", "ls-tree", "blame", "annotate", "shortlog", "describe", "cat-file", "reflog", "tag", "rev-list",
		"name-rev", "merge-base", "count-objects", "fsck", "whatchanged", "var", "help", "version", "check-ignore", "for-each-ref", "symbolic-ref", "show-ref", "cherry", "diff-tree", "diff-files", "diff-index", "--version", "grep", "verify-commit", "range-diff", "bundle", "archive", "format-patch":
		a := d.sort(parseRow("-O=s --open-files-in-pager=s --output=w --output-directory=w -o=w -n= -L= -S= -G= --format= --pretty? --since= --until= --author= --grep= -e= -f=r -A= -B= -C? -U= --contents=r --remote=p --exec=s --prefix= -m= "+gitFiles(verb)), false)
		for _, s := range a.values {
			c.role(s.role, s.value, nil)
		}
		if a.flag("--no-index") {
			c.reads(a.operands...)
		}
		if a.flag("--ext-diff", "--textconv") {
			c.unresolved(c.place, c.name, "runs what the settings of the repository say")
		}
		if verb == "bundle" && len(a.operands) > 1 {
			if plain(a.operands[0]) == "create" {
				c.writes(a.operands[1])
			} else {
				c.reads(a.operands[1])
			}
		}
		c.reads(".")
	case "clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule", "svn", "p4", "send-email", "lfs", "request-pull", "fetch-pack", "send-pack", "http-fetch", "daemon", "instaweb", "imap-send", "archimport", "cvsimport", "remote-http", "remote-https", "remote-ext", "remote-fd":
		return d.gitRemote(verb)
	case "config":
		d.gitConfig()
	case "bisect", "rebase", "filter-branch", "submodule-foreach", "difftool", "mergetool", "hook", "maintenance", "for-each-repo", "credential", "am", "fast-import", "filter-repo":
		d.gitRuns(verb)
	case "rm", "clean":
		a := d.sort(parseRow("-e= --exclude= --pathspec-from-file=r"), false)
		if len(a.operands) == 0 {
			a.operands = fields{"."}
		}
		if !a.flag("--cached", "-n", "--dry-run") {
			c.deletes(a.operands...)
		}
	case "init":
		a := d.sort(parseRow("--template=f --separate-git-dir=w -b= --initial-branch= --object-format="), false)
		for _, s := range a.values {
			c.role(s.role, s.value, nil)
		}
		c.writes(a.operands...)
		if len(a.operands) == 0 {
			c.writes(".")
		}
	case "add", "commit", "checkout", "switch", "restore", "reset", "merge", "stash", "mv", "apply", "cherry-pick", "revert", "gc", "prune", "worktree", "update-index", "update-ref", "notes", "write-tree", "read-tree", "commit-tree", "hash-object", "pack-refs", "repack", "sparse-checkout", "checkout-index", "unpack-objects", "replace", "symbolic-refs", "update-server-info", "rerere", "bundle-create", "commit-graph", "multi-pack-index", "index-pack", "pack-objects", "mktree", "mktag", "tag-create", "prune-packed", "init-db":
		a := d.sort(parseRow("-F=r --file=r -m= --message= --author= --date= -t=r --template=r --directory=w -C= -b= -B= --pathspec-from-file=r --exec=s "+gitFiles(verb)), false)
		for _, s := range a.values {
			c.role(s.role, s.value, nil)
		}
		c.writes(".")
		for _, o := range a.operands {
			switch {
			case !strings.Contains(plain(o), "/"):
			case verb == "hash-object" || verb == "apply" || verb == "index-pack":
				c.reads(o)
			case verb == "worktree" || verb == "mv" || verb == "pack-objects":
				c.writes(o)
			}
		}
	default:
		c.fact(c.place, analysis.Fact{Capability: palisade.CapUnresolved, Symbol: "git " + verb, Argument: c.line(), Kind: analysis.KindName, Evidence: "an alias, or a verb that no table knows"})
	}
	return c.depends()
}

// gitFiles are the options of single verbs that name files. Source: the manual
// of each.
func gitFiles(verb string) string {
	switch verb {
	case "tag":
		return "-F=r --file=r -u="
	case "blame", "annotate":
		return "-S=r --ignore-revs-file=r"
	case "ls-files":
		return "-o? -X=r --exclude-from=r --exclude-per-directory= -x="
	case "archive":
		return "--add-file=r"
	case "checkout-index":
		return "--prefix=w"
	case "index-pack":
		return "-o=w --keep?"
	case "read-tree":
		return "--index-output=w"
	case "repack", "gc":
		return "--filter-to=w --expire-to=w"
	case "commit-graph", "multi-pack-index":
		return "--object-dir=w"
	}
	return ""
}

// gitRemote is the verbs that speak to another repository.
func (c *call) gitRemote(verb string) value {
	a := c.sort(parseRow("-u=s --upload-pack=s --receive-pack=s --exec=s -c=_ --config=_ --template=f -b= --branch= --depth= -o= --origin= --reference=r --separate-git-dir=w -j= --server-option= --bundle-uri=p --shallow-since= --smtp-server=p --to=p --cc=p --filter= --mirror? --init-hook=s"), false)
	for _, s := range a.values {
		if s.name == "-c" || s.name == "--config" {
			key, v, _ := strings.Cut(s.value, "=")
			c.gitSetting(plain(key), v)
			continue
		}
		c.role(s.role, s.value, nil)
	}
	operands := a.operands
	if (verb == "remote" || verb == "submodule" || verb == "lfs") && len(operands) > 0 {
		sub := plain(operands[0])
		if sub == "foreach" {
			return c.shell(value{strings.Join(operands[1:], " ")}, "git submodule foreach")
		}
		operands = operands[1:]
		if verb == "remote" && (sub == "-v" || sub == "show" || sub == "get-url") {
			return unknown
		}
	} else if verb == "remote" {
		return unknown
	}
	peers := 0
	for i, o := range operands {
		p := plain(o)
		switch host, _, scp := strings.Cut(p, ":"); {
		case strings.HasPrefix(p, "ext::"):
			c.shell(value{o[len("ext::"):]}, "git ext::")
			peers++
		case strings.Contains(p, "::"):
			c.unresolved(c.place, c.name, "a helper for "+shown(o))
			peers++
		case analysis.IsURL(prefix(p)):
			c.peer(c.place, o, "git "+verb)
			peers++
		case scp && !strings.Contains(host, "/"):
			c.peer(c.place, host[strings.LastIndexByte(host, '@')+1:], "git "+verb)
			peers++
		case verb == "clone" && i == 0:
			c.reads(o)
			peers++
		case verb == "clone":
			c.writes(o)
		}
	}
	if peers == 0 {
		c.peer(c.place, unknown[0], "git "+verb)
	}
	if verb == "daemon" || verb == "instaweb" {
		c.effect(palisade.CapListen, verb, "")
	}
	if verb == "clone" || verb == "pull" || verb == "submodule" {
		c.writes(".")
	}
	return network
}

// gitConfig changes settings for later.
func (c *call) gitConfig() {
	a := c.sort(parseRow("-f=b --file=b --blob= --type= --default="), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	operands := a.operands
	if len(operands) > 0 && (plain(operands[0]) == "set" || plain(operands[0]) == "get" || plain(operands[0]) == "list" || plain(operands[0]) == "unset") {
		operands = operands[1:]
	}
	if len(operands) > 1 {
		c.gitSetting(plain(operands[0]), operands[1])
		switch {
		case a.flag("--global"):
			c.writes("~/.gitconfig")
		case a.flag("--system"):
			c.writes("/etc/gitconfig")
		default:
			c.writes(".git/config")
		}
	}
	if a.flag("-e", "--edit") {
		c.unresolved(c.place, c.name, "opens an editor")
	}
}

// gitRuns is the verbs that run commands.
func (c *call) gitRuns(verb string) {
	a := c.sort(parseRow("-x=s --exec=s --tree-filter=s --index-filter=s --msg-filter=s --commit-filter=s --env-filter=s --parent-filter=s --tag-name-filter=s --setup=s --extcmd=s --extcmd=s -t= --tool= --onto= -d=w --import-marks=r --export-marks=w"), true)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	if verb == "am" {
		c.reads(a.operands...)
	}
	if verb == "bisect" && len(a.operands) > 1 && plain(a.operands[0]) == "run" {
		c.invoke(a.operands[1:])
	}
	if verb != "bisect" && verb != "rebase" && verb != "am" {
		c.unresolved(c.place, c.name, "runs what the settings of the repository say: "+verb)
	}
	c.writes(".")
}
