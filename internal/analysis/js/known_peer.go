package js

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// applyPeer reports an effect on the network.
func (i *interpreter) applyPeer(path string, f effect, args arguments, n *node) {
	c := capabilityOf(f.does)
	var s set
	switch f.does {
	case "port": // (port, host), ({port, host}), (path)
		s = i.portAndHost(args)
	case "peer": // send(message, offset, length, port, address): the last string
		s = anything
		for k := len(args.list) - 1; k >= 0; k-- {
			if a, computed := single(args.list[k]); !computed && a != "" && !strings.ContainsAny(a, " \n") {
				s = str(a)
				break
			}
		}
	case "listen":
		i.report(fact{capability: c, symbol: path, argument: listenAddress(args)}, n)
		return
	default:
		if f.arg < 0 {
			i.report(fact{capability: c, symbol: path, unknown: true}, n)
			return
		}
		if args.missing(f.arg) && !i.bare(path) {
			return
		}
		s = args.at(f.arg)
	}
	if len(s) == 0 {
		s = anything
	}
	for _, v := range i.peers(s) {
		switch v.what {
		case constant, text:
			i.report(fact{capability: c, symbol: path, argument: v.s, unknown: v.what == text}, n)
		default:
			i.report(fact{capability: c, symbol: path, unknown: true}, n)
		}
	}
}

// bare reports whether a call without an argument still reaches a peer: a
// client with its defaults.
func (i *interpreter) bare(path string) bool { return strings.HasPrefix(path, "pkg:") }

func listenAddress(args arguments) string {
	for _, v := range args.at(0) {
		switch v.what {
		case number:
			return formatNumber(v.n)
		case constant:
			return v.s
		case thing:
			if p := v.obj.props["port"]; p != nil {
				a, _ := single(p.value.values)
				return a
			}
		}
	}
	return ""
}

// portAndHost are the arguments of net.connect.
func (i *interpreter) portAndHost(args arguments) set {
	first := args.at(0)
	var out set
	for _, v := range first {
		switch v.what {
		case number, constant:
			port, _ := single(v.set())
			if v.what == constant && strings.HasPrefix(v.s, "/") {
				out = out.plus(value{what: constant, s: v.s})
				continue
			}
			host := args.at(1)
			if args.missing(1) || len(host) == 1 && (host[0].what == thing || host[0].what == plain) {
				host = str("localhost")
			}
			out = out.with(i.concat(host, str(":"+port)))
		case thing:
			out = out.plus(v)
		default:
			host, computed := single(args.at(1))
			if computed {
				out = out.with(anything)
			} else {
				out = out.with(str(host))
			}
		}
	}
	return out
}

// peers are values as peers: addresses, URLs, and objects that hold one.
func (i *interpreter) peers(s set) set {
	var out set
	for _, v := range s {
		switch v.what {
		case constant, text:
			out = out.plus(value{what: v.what, s: v.s})
		case thing:
			out = out.with(i.peerOf(v.obj))
		case plain:
			if len(s) == 1 {
				out = out.plus(value{what: unknown})
			}
		default:
			out = out.plus(value{what: unknown})
		}
	}
	return out
}

// peerOf is where an object of options leads: its url, or its host and port.
func (i *interpreter) peerOf(o *object) set {
	for _, name := range []string{"url", "uri", "href", "connectionString"} {
		if p := o.props[name]; p != nil {
			return i.peers(p.value.values)
		}
	}
	for _, name := range []string{"socketPath", "path"} {
		if p := o.props[name]; p != nil && o.props["host"] == nil && o.props["hostname"] == nil {
			return i.peers(p.value.values)
		}
	}
	for _, name := range []string{"hostname", "host", "address"} {
		p := o.props[name]
		if p == nil {
			continue
		}
		host := i.peers(p.value.values)
		if port := o.props["port"]; port != nil {
			if number, computed := single(port.value.values); !computed {
				return i.concat(host, str(":"+number))
			}
		}
		return host
	}
	if len(o.rest.values) > 0 || o.props["port"] == nil {
		return anything
	}
	return str("localhost")
}

// applyCommand reports a program that is started.
func (i *interpreter) applyCommand(path string, f effect, args arguments, n *node) {
	if path == "process.execve" {
		args = i.withoutName(args, n)
	}
	if f.arg < 0 || args.missing(f.arg) && !args.open {
		i.report(fact{capability: palisade.CapProcess, symbol: path, unknown: f.arg >= 0}, n)
		return
	}
	commands := args.at(f.arg)
	if len(commands) == 0 {
		commands = anything
	}
	for _, v := range commands {
		switch {
		case v.what == thing && v.obj.props["raw"] != nil: // a tagged template
			command, _ := v.obj.join(`"$1"`)
			i.report(fact{capability: palisade.CapProcess, symbol: path, argument: command}, n)
			i.embed(palisade.Shell, "", command, display(path), n)
		case v.what != constant && v.what != text:
			i.report(fact{capability: palisade.CapProcess, symbol: path, unknown: true}, n)
			if f.does == "shell" { // nothing of it can be read
				i.report(fact{capability: palisade.CapEvaluate, symbol: path, unknown: true, kind: analysis.KindComputed}, n)
			}
		case f.does == "shell":
			i.report(fact{capability: palisade.CapProcess, symbol: path, argument: v.s, unknown: v.what == text}, n)
			i.embedCommand(path, v, args, n)
		default:
			i.startProgram(path, v, args, n)
		}
	}
}

// withoutName is the arguments of execve as those of spawn: the list begins with
// the program's own name, and what follows it is the environment.
func (i *interpreter) withoutName(args arguments, n *node) arguments {
	list := args.list[:min(1, len(args.list)):min(1, len(args.list))]
	if len(args.list) > 1 {
		if items, exact := i.items(args.list[1], n); exact && len(items) > 0 {
			list = append(list, i.newList(n, "argv", nil, items[1:]).set())
		} else {
			list = append(list, anything)
		}
	}
	return arguments{list: list, open: args.open, more: args.more}
}

// embedCommand hands a command line to the shell's reader; of a beginning, the
// rest is a word that is not known.
func (i *interpreter) embedCommand(path string, v value, args arguments, n *node) {
	command := i.setting(args, v.s) + v.s
	if v.what == text {
		if strings.Count(command, `'`)%2 != 0 || strings.Count(command, "`")%2 != 0 {
			return
		}
		if strings.Count(command, `"`)%2 != 0 {
			command += `$1"`
		} else {
			command += `"$1"`
		}
	}
	i.embed(palisade.Shell, "", command, display(path), n)
}

// startProgram is a program with its list of arguments, as a command line.
func (i *interpreter) startProgram(path string, program value, args arguments, n *node) {
	command, complete := program.s, program.what == constant
	words := []string{quote(program.s)}
	if program.what == text {
		words = []string{quote(program.s) + `"$1"`}
	}
	for _, list := range args.at(1) {
		if list.what != thing || !list.obj.list {
			complete = complete && list.what == thing // options
			continue
		}
		for _, item := range list.obj.items() {
			word, computed := single(item)
			if computed {
				complete = false
				words = append(words, quote(word)+`"$1"`)
				command += " " + word + "…"
				continue
			}
			words = append(words, quote(word))
			command += " " + word
		}
		if len(list.obj.rest.values) > 0 {
			complete = false
			words = append(words, `"$@"`)
		}
	}
	i.report(fact{capability: palisade.CapProcess, symbol: path, argument: command, unknown: !complete}, n)
	source := strings.Join(words, " ")
	if shellOption(args) {
		source = command
	}
	i.embed(palisade.Shell, "", i.setting(args, source)+source, display(path), n)
}

// shellOption reports whether the options say that a shell reads the words.
func shellOption(args arguments) bool {
	for k := 1; k < len(args.list); k++ {
		for _, v := range args.list[k] {
			if v.what == thing && v.obj.props["shell"] != nil {
				return true
			}
		}
	}
	return false
}

func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
