package shell

import (
	"slices"
	"strings"
)

// find looks for files under its operands and does things to them.
func (c *call) find(_ row) value {
	roots, i := fields{}, 0
	for ; i < len(c.args); i++ {
		a := plain(c.args[i])
		if strings.HasPrefix(a, "-") && !slices.Contains([]string{"-H", "-L", "-P", "-O1", "-O2", "-O3", "-s", "-x", "-E", "-X", "-d"}, a) || a == "(" || a == "!" || a == ")" || a == "," {
			break
		}
		if !strings.HasPrefix(a, "-") {
			c.computedTest(roots, c.args[i])
			roots = append(roots, c.args[i])
		}
	}
	if len(roots) == 0 {
		roots = fields{"."}
	}
	c.reads(roots...)
	found := value{}
	for _, root := range roots {
		found = join(found, value{meld(strings.TrimSuffix(root, "/")+"/", string([]byte{hole}))})
	}
	out := found
	for ; i < len(c.args); i++ {
		next := ""
		if i+1 < len(c.args) {
			next = c.args[i+1]
		}
		switch a := plain(c.args[i]); a {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(c.args) && c.args[end] != ";" && (c.args[end] != "+" || c.args[end-1] != "{}") {
				end++
			}
			out = join(out, c.onFound(c.args[i+1:end], found))
			i = end
		case "-delete":
			for _, f := range found {
				c.deletes(f)
			}
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			c.writes(next)
			i++
		case "-files0-from", "-newer", "-anewer", "-cnewer", "-samefile":
			c.reads(next)
			i++
		case "-ls", "-printf":
			out = unknown
		default:
			if i > 0 && !strings.HasPrefix(plain(c.args[i-1]), "-") {
				c.computedTest(c.args[:i], c.args[i])
			}
		}
	}
	return concat(out, text("\n"))
}

// computedTest reports a word that is not known and may be a test or an action:
// one that stands behind others, where it is not the value of an option.
func (c *call) computedTest(before fields, word string) {
	if len(before) > 0 && hasHole(word) && prefix(word) == "" {
		c.unresolved(c.place, c.name, "an expression that is computed: "+shown(word))
	}
}

// onFound runs a command on found files: {} stands for each.
func (c *call) onFound(argv fields, found value) value {
	out := value{}
	for _, f := range found {
		args := make(fields, len(argv))
		for i, a := range argv {
			args[i] = strings.ReplaceAll(a, "{}", f)
		}
		d := *c
		d.stdin = text("")
		out = join(out, d.invoke(args))
	}
	return out
}

// fd is find with other options.
func (c *call) fd(_ row) value {
	r := parseRow("_ r* .r -e= -t= -d= -E= -S= -c= -j= --extension= --type= --max-depth= --exclude= --base-directory=r --search-path=r --ignore-file=r --size= --changed-within= --changed-before= --owner= --color= --threads=")
	for i, a := range c.args {
		if p := plain(a); p == "-x" || p == "-X" || p == "--exec" || p == "--exec-batch" {
			d := *c
			d.args = c.args[:i]
			d.roles(r, d.sort(r, false))
			argv := slices.Clone(c.args[i+1:])
			if !slices.Contains(argv, "{}") {
				argv = append(argv, "{}")
			}
			return c.onFound(argv, value{"./" + string([]byte{hole})})
		}
	}
	c.roles(r, c.sort(r, false))
	return value{"./" + string([]byte{hole})}
}
