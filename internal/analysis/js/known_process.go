package js

import (
	"maps"
	"path"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// options are the last objects among arguments that are not lists.
func options(args arguments) []*object {
	var out []*object
	for _, s := range args.list[min(1, len(args.list)):] {
		for _, v := range s {
			if v.what == thing && !v.obj.list {
				out = append(out, v.obj)
			}
		}
	}
	return out
}

// setting is what options of a program that is started say of its folder, its
// variables and its shell, as shell code that stands before the command, so
// that the command is read with them. So are the files that this program wrote
// and that the command may run.
func (i *interpreter) setting(args arguments, command string) string {
	var b strings.Builder
	for _, file := range slices.Sorted(maps.Keys(i.written)) {
		if content, computed := single(i.written[file].values); !computed && strings.Contains(command, path.Base(file)) {
			b.WriteString("printf %s " + quote(content) + " > " + quote(file) + "\n")
		}
	}
	for _, o := range options(args) {
		if p := o.props["cwd"]; p != nil {
			if dir, computed := single(p.value.values); !computed {
				b.WriteString("cd " + quote(dir) + "\n")
			}
		}
		if p := o.props["shell"]; p != nil {
			if name, computed := single(p.value.values); !computed && name != "true" && !usualShell(name) {
				b.WriteString(quote(name) + " -c :\n")
			}
		}
		if p := o.props["env"]; p != nil {
			b.WriteString(exports(p.value.values))
		}
	}
	return b.String()
}

func usualShell(name string) bool {
	return name == "" || name == "sh" || name == "bash" || name == "/bin/sh" || name == "/bin/bash" || name == "/usr/bin/bash"
}

// export is shell code that gives a variable of the environment a value.
func export(name string, s set) string {
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return ""
	}
	v, computed := single(s)
	if computed {
		return "export " + name + "=" + quote(v) + "\"$1\"\n"
	}
	return "export " + name + "=" + quote(v) + "\n"
}

// exports is the same for an object of variables.
func exports(s set) string {
	var b strings.Builder
	for _, v := range s {
		if v.what == thing {
			for _, name := range v.obj.order {
				b.WriteString(export(name, v.obj.props[name].value.values))
			}
		}
	}
	return b.String()
}

// startNode is fork and its kin: Node.js, with options of its own. Source:
// Node.js 20, child_process.fork and cluster.setupPrimary.
func (i *interpreter) startNode(symbol string, f effect, args arguments, n *node) {
	program, execArgv, arguments := str("node"), set(nil), args.at(1)
	file := args.at(0)
	all := options(args)
	if f.arg < 0 { // the file stands in the options
		file, arguments, all = nil, nil, nil
		for _, v := range args.at(0) {
			if v.what == thing {
				all = append(all, v.obj)
			}
		}
	}
	for _, o := range all {
		for name, to := range map[string]*set{"execPath": &program, "execArgv": &execArgv, "exec": &file, "args": &arguments} {
			if p := o.props[name]; p != nil {
				*to = p.value.values
			}
		}
	}
	words := i.words(program) + i.words(execArgv) + i.words(file) + i.words(arguments)
	argument, computed := single(file)
	i.report(fact{capability: palisade.CapProcess, symbol: symbol, argument: argument, unknown: computed && len(file) > 0}, n)
	i.embed(palisade.Shell, "", i.setting(args, words)+words, display(symbol), n)
}

// words are values as words of a command line: a text, or the items of a list.
func (i *interpreter) words(s set) string {
	var b strings.Builder
	for _, v := range s {
		if v.what == thing && v.obj.list {
			for _, item := range v.obj.items() {
				b.WriteString(i.words(item))
			}
			continue
		}
		if word, computed := single(v.set()); computed {
			b.WriteString(quote(word) + `"$1" `)
		} else {
			b.WriteString(quote(word) + " ")
		}
	}
	return b.String()
}

// writes remembers what a file is given, should its code be run.
func (i *interpreter) writes(path string, args arguments, n *node) {
	content := i.text(args.at(1), n)
	switch path {
	case "fs.writeFile", "fs.appendFile":
	case "fs.copyFile", "fs.cp", "fs.rename", "fs.link", "fs.symlink":
		i.copied(args)
		return
	case "fs.open":
		if flags, computed := single(args.at(1)); args.missing(1) || !computed && !strings.ContainsAny(flags, "wa+") {
			return
		}
		content = prefix("") // it comes later
	case "fs.createWriteStream", "fs.WriteStream":
		content = prefix("") // it comes later
	default:
		return
	}
	for _, v := range i.paths(args.at(0)) {
		if v.what == constant {
			i.add(cellOf(i.written, analysis.Path(v.s)), content)
		}
	}
}

// runWritten reads the code in a file that the program has written itself.
func (i *interpreter) runWritten(file, via string, n *node) {
	c := i.written[file]
	if c == nil {
		return
	}
	for _, v := range c.values {
		if v.what == constant {
			i.embed(palisade.JavaScript, "", v.s, display(via)+" "+file, n)
			continue
		}
		i.report(fact{
			capability: palisade.CapUnresolved, kind: analysis.KindComputed, symbol: "require", argument: file, unknown: true,
			evidence: "the code in a file that the program writes is computed: " + i.source(n),
		}, n)
	}
}
