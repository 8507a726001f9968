package shell

import (
	"path"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// arguments are a command's, sorted.
type arguments struct {
	operands fields
	// values are the options that have one, in order; flags those that have none.
	values  []setting
	flags   []string
	changes byte
	frees   bool
}

type setting struct {
	name, value string
	role        byte
}

// value is the last value of an option.
func (a arguments) value(names ...string) (string, bool) {
	for i := len(a.values) - 1; i >= 0; i-- {
		for _, n := range names {
			if a.values[i].name == n {
				return a.values[i].value, true
			}
		}
	}
	return "", false
}

// flag reports whether one of some options is there, with or without a value.
func (a arguments) flag(names ...string) bool {
	for _, n := range names {
		for _, f := range a.flags {
			if f == n {
				return true
			}
		}
		if _, ok := a.value(n); ok {
			return true
		}
	}
	return false
}

// sort tells options from operands as getopt_long does, by the options of a
// row. With early, the first operand ends the options.
func (c *call) sort(r row, early bool) arguments {
	var out arguments
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		next := func() (string, bool) {
			if i+1 < len(c.args) {
				i++
				return c.args[i], true
			}
			return "", false
		}
		switch {
		case a == "--":
			out.operands = append(out.operands, c.args[i+1:]...)
			return out
		case len(a) < 2 || a[0] != '-':
			if early {
				out.operands = append(out.operands, c.args[i:]...)
				return out
			}
			out.operands = append(out.operands, a)
		case a[1] == '-':
			out.long(r, plain(a), a, next)
		default:
			out.short(r, a, next)
		}
	}
	return out
}

// long takes an option of several letters, which may be shortened.
func (a *arguments) long(r row, written, word string, next func() (string, bool)) {
	name, attached, has := strings.Cut(word, "=")
	name = plain(name)
	opt, ok := r.options[name]
	if !ok && len(name) > 3 {
		full := ""
		for candidate := range r.options {
			if strings.HasPrefix(candidate, name) && (full == "" || candidate < full) {
				full = candidate
			}
		}
		if full != "" {
			name, opt, ok = full, r.options[full], true
		}
	}
	a.take(name, opt)
	switch {
	case has && ok && opt.role == 0:
		a.values = append(a.values, setting{name, attached, roleNothing})
	case has:
		a.values = append(a.values, setting{name, attached, opt.role})
	case opt.role != 0 && !opt.attached:
		if opt.pair {
			next()
		}
		if v, ok := next(); ok {
			a.values = append(a.values, setting{name, v, opt.role})
		}
	default:
		a.flags = append(a.flags, name)
	}
}

// short takes a cluster of options of one letter, or one of several behind one
// hyphen where the table has it so.
func (a *arguments) short(r row, word string, next func() (string, bool)) {
	if opt, ok := r.options[plain(word)]; ok && len(word) > 2 {
		a.take(plain(word), opt)
		if opt.role != 0 && !opt.attached {
			if v, ok := next(); ok {
				a.values = append(a.values, setting{plain(word), v, opt.role})
			}
			return
		}
		a.flags = append(a.flags, plain(word))
		return
	}
	for j := 1; j < len(word); j++ {
		name := "-" + word[j:j+1]
		opt := r.options[name]
		a.take(name, opt)
		switch {
		case opt.attached:
			a.flags = append(a.flags, name)
			if opt.role != 0 && j+1 < len(word) {
				a.values = append(a.values, setting{name, word[j+1:], opt.role})
			}
			return
		case opt.role == 0:
			a.flags = append(a.flags, name)
			continue
		case j+1 < len(word):
			a.values = append(a.values, setting{name, strings.TrimPrefix(word[j+1:], "="), opt.role})
		default:
			if v, ok := next(); ok {
				a.values = append(a.values, setting{name, v, opt.role})
			}
		}
		return
	}
}

func (a *arguments) take(name string, opt option) {
	a.frees = a.frees || opt.frees
	if opt.changes != 0 {
		a.changes = opt.changes
	}
}

// apply reports what a command does, by its row, and gives what it prints.
func (c *call) apply(r row) value {
	for _, capability := range r.capabilities {
		c.fact(c.place, analysis.Fact{Capability: capability, Symbol: c.name, Argument: c.capabilityArgument(capability), Evidence: c.how()})
	}
	if f := special(r.special); f != nil {
		return f(c, r)
	}
	a := c.sort(r, len(r.first) > 0 && r.first[len(r.first)-1] == roleCommand)
	return c.roles(r, a)
}

// capabilityArgument is the argument of a capability that a command is as such.
func (c *call) capabilityArgument(what palisade.Capability) string {
	switch what {
	case palisade.CapNetwork, palisade.CapEnvironment:
		return "" // it has no peer and no name of its own
	}
	return c.line()
}

// roles reports what a command does with its options and operands.
func (c *call) roles(r row, a arguments) value {
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	operands, out := a.operands, value(nil)
	first := r.first
	if a.frees && len(first) > 0 {
		first = first[1:]
	}
	if len(operands) == 0 && r.none != 0 {
		c.role(r.none, ".", nil)
	}
	peer := false
	for i, operand := range operands {
		role := r.rest
		switch {
		case a.changes != 0 && (i >= len(first) || first[i] != roleNothing):
			role = a.changes
		case r.last != 0 && i == len(operands)-1 && i > 0:
			role = r.last
		case i < len(first):
			role = first[i]
		}
		peer = peer || role == rolePeer
		if v := c.role(role, operand, operands[i:]); v != nil {
			out = v
		}
		if role == roleCommand {
			return out
		}
	}
	if !peer && (r.rest == rolePeer || len(r.first) > 0 && r.first[0] == rolePeer) {
		c.peer(c.place, unknown[0], c.name) // whoever it is, the line does not say
	}
	if out != nil {
		return out
	}
	c.copied(r, a, operands)
	return c.printed(r, a, len(operands) > len(first))
}

// copied remembers what a command puts into the files that it writes, so that
// it can be read when one of them is run.
func (c *call) copied(r row, a arguments, operands fields) {
	switch c.name {
	case "tee", "sponge":
		for _, o := range operands {
			c.store(c.absolute(c.sc, o), c.stdin, a.flag("-a"))
		}
	case "cp", "mv", "ln", "install":
		target, given := a.value("-t", "--target-directory")
		if !given {
			if len(operands) < 2 {
				return
			}
			target, operands = operands[len(operands)-1], operands[:len(operands)-1]
		}
		if c.name == "mv" && strings.HasPrefix(plain(target), "/dev/") {
			c.deletes(operands...)
		}
		for _, o := range operands[:min(len(operands), maxTurns)] {
			if c.name == "ln" {
				c.linked(o, target)
			}
			content := c.content(c.sc, o)
			if !given {
				c.store(c.absolute(c.sc, target), content, false)
			}
			c.store(c.absolute(c.sc, target+"/"+path.Base(plain(o))), content, false)
		}
	}
}

// linked reports what a symbolic link leads to: its text counts from where it
// lies, and it may be moved.
func (c *call) linked(to, link string) {
	if strings.HasPrefix(to, "/") || hasHole(to) {
		return
	}
	c.reads(link+"/"+to, path.Dir(plain(link))+"/"+to)
	if rest := plain(to); strings.HasPrefix(rest, "..") {
		for strings.HasPrefix(rest, "../") {
			rest = strings.TrimLeft(rest[2:], "/")
		}
		c.reads("/" + strings.TrimPrefix(rest, ".."))
	}
}

// printed is what a command prints: lines of its input or of files that are
// known, or something that depends on them.
func (c *call) printed(r row, a arguments, files bool) value {
	if f := ofOperand(c.name); f != nil && len(a.operands) > 0 {
		return concat(value{a.operands[0]}.each(func(s string) string { return f(plain(s)) }), text("\n"))
	}
	if f := filter(c.name); f != nil && !files {
		return f(c, a, c.stdin)
	}
	switch {
	case c.name == "yes" && len(a.operands) > 0:
		return value{strings.Join(a.operands, " ") + "\n"}
	case c.name == "less" || c.name == "more":
		for _, o := range a.operands {
			if p := plain(o); strings.HasPrefix(p, "+") && strings.ContainsAny(p, "!|") {
				c.shell(value{p[strings.IndexAny(p, "!|")+1:]}, c.name+" +!")
			}
		}
	}
	if paths := c.pathsPrinted(); len(paths) > 0 {
		return join(value{worst(squash(c.stdin) + strings.Join(c.args, ""))}, paths)
	}
	if v := c.number(a); v != nil {
		return v
	}
	source := c.stdin
	if files {
		source = value{}
		for i, operand := range a.operands {
			switch more := c.content(c.sc, operand); {
			case i < len(r.first) && !a.frees:
			case c.name == "cat" && len(source) > 0:
				source = concat(source, more)
			default:
				source = join(source, more)
			}
		}
		if f := filter(c.name); f != nil && len(source) > 0 {
			return f(c, a, source)
		}
	}
	if r.filter && len(source) > 0 {
		return c.someLines(source, a)
	}
	return value{worst(squash(append(source, strings.Join(c.args, ""))))}
}

// someLines is what is left of texts by a command that drops or orders lines:
// any of them may be first.
func (c *call) someLines(v value, a arguments) value {
	switch c.name {
	case "cat", "tee", "sponge", "less", "more":
		return v
	}
	if a.flag("-c", "--bytes", "-b") {
		return value{worstOf(v)}
	}
	out := v
	for _, s := range v {
		for i, line := range strings.SplitAfter(s, "\n") {
			if i >= maxVectors {
				return join(out, value{worst(s)})
			}
			if line != "" && line != s {
				out = join(out, value{keepMark(s, line)})
			}
		}
	}
	return out
}

// role reports what an operand is. For a command line it runs it and gives what
// that prints.
func (c *call) role(role byte, s string, from fields) value {
	if s == "" || role == roleNothing || role == 0 {
		return nil
	}
	switch role {
	case roleRead:
		c.path(c.sc, c.place, palisade.CapReadPath, s, c.name)
	case roleWrite:
		c.path(c.sc, c.place, palisade.CapWritePath, s, c.name)
	case roleBoth:
		c.path(c.sc, c.place, palisade.CapReadPath, s, c.name)
		c.path(c.sc, c.place, palisade.CapWritePath, s, c.name)
	case roleDelete:
		c.path(c.sc, c.place, palisade.CapDeletePath, s, c.name)
	case roleFile:
		c.path(c.sc, c.place, palisade.CapRunFile, s, c.name)
		c.path(c.sc, c.place, palisade.CapReadPath, s, c.name)
	case rolePeer:
		c.peer(c.place, s, c.name)
	case roleShell:
		return c.shell(value{s}, c.name)
	case roleCommand:
		return c.invoke(from)
	default:
		if what, ok := plainRoles[role]; ok {
			c.fact(c.place, analysis.Fact{
				Capability: what, Symbol: c.name, Argument: strings.ToValidUTF8(plain(prefix(s)), ""), Unknown: hasHole(s), Evidence: c.how(),
			})
		}
	}
	return nil
}

// plainRoles are the roles that are a capability with the operand as argument.
var plainRoles = map[byte]palisade.Capability{
	roleListen: palisade.CapListen, roleKill: palisade.CapKill, roleInstall: palisade.CapInstall, rolePrivilege: palisade.CapPrivilege,
	roleName: palisade.CapEnvironment, roleCredential: palisade.CapCredential, roleEffect: palisade.CapSideEffect,
	roleInfo: palisade.CapSystemInfo, roleDestroy: palisade.CapDestroy, roleNative: palisade.CapNative,
}
