package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// chmod changes rights: setting the user or group ID grants them.
func (c *call) chmod(r row) value {
	var operands fields
	for i, a := range c.args {
		switch p := plain(a); {
		case p == "--":
		case strings.HasPrefix(p, "--reference="):
			c.reads(a[len("--reference="):])
			operands = append(operands, "")
		case strings.HasPrefix(p, "-") && strings.Trim(p, "-cfvRrwxXst") == "" && strings.ContainsAny(p, "rwxst") && len(operands) == 0:
			operands = append(operands, a) // -x is a mode
			_ = i
		case strings.HasPrefix(p, "-"):
		default:
			operands = append(operands, a)
		}
	}
	if len(operands) == 0 {
		return text("")
	}
	mode := plain(operands[0])
	if hasHole(operands[0]) || elevates(mode) {
		c.effect(palisade.CapPrivilege, strings.Join(operands, " "), "sets the user or group ID on execution")
	}
	c.writes(operands[1:]...)
	return text("")
}

// elevates reports whether a mode sets the user or group ID.
func elevates(mode string) bool {
	if len(mode) >= 4 && strings.Trim(mode, "01234567") == "" {
		return strings.ContainsAny(mode[len(mode)-4:len(mode)-3], "234567")
	}
	for clause := range strings.SplitSeq(mode, ",") {
		if i := strings.IndexAny(clause, "+="); i >= 0 && strings.Contains(clause[i:], "s") {
			return true
		}
	}
	return false
}

// install copies files and sets their rights.
func (c *call) install(_ row) value {
	r := parseRow("r* w$ -t=w --target-directory=w -m= --mode= -o= --owner= -g= --group= -S= --suffix= --strip-program=s --backup?")
	a := c.sort(r, false)
	if mode, ok := a.value("-m", "--mode"); ok && (hasHole(mode) || elevates(plain(mode))) {
		c.effect(palisade.CapPrivilege, mode, "sets the user or group ID on execution")
	}
	if a.flag("-o", "--owner", "-g", "--group") {
		c.effect(palisade.CapPrivilege, strings.Join(a.operands, " "), "changes the owner")
	}
	if a.flag("-d", "--directory") {
		c.writes(a.operands...)
		return text("")
	}
	return c.roles(r, a)
}

// shred overwrites, and deletes with -u.
func (c *call) shred(_ row) value {
	r := parseRow("d* -n= --iterations= -s= --size= --random-source=r --remove?")
	return c.roles(r, c.sort(r, false))
}

// squeeze is gzip and its kin: a file becomes another one beside it.
func (c *call) squeeze(_ row) value {
	r := parseRow("b* | -c>r --stdout>r --to-stdout>r -l>r --list>r -t>r --test>r -S= --suffix= -o=w -D=r -p= -T= -b= -B= -M= --rm -A=")
	a := c.sort(r, false)
	out := c.roles(r, a)
	if a.flag("-d", "--decompress", "--uncompress") || strings.HasPrefix(c.name, "un") || strings.HasPrefix(c.name, "gun") || strings.HasPrefix(c.name, "bun") {
		return value{worst("\xf7" + squash(out))}
	}
	return value{worst(squash(out))}
}

func (c *call) dd(_ row) value {
	for _, a := range c.args {
		switch key, v, _ := strings.Cut(a, "="); plain(key) {
		case "if":
			c.reads(v)
		case "of":
			c.writes(v)
		}
	}
	return c.depends()
}

func (c *call) dedupe(_ row) value {
	r := parseRow("r* -d>d --delete>d -N>d -deleteduplicates -makehardlinks -X= -x=")
	a := c.sort(r, false)
	if strings.Contains(strings.Join(c.args, " "), "-deleteduplicates true") {
		c.deletes(a.operands...)
	}
	return c.roles(r, a)
}

// image is ImageMagick, to which a name can be a command, a list of files, or a
// file behind a prefix. Source: its manual, Command-line Processing; GTFOBins.
func (c *call) image(_ row) value {
	c.report(palisade.CapEvaluate, "some of its formats run commands", analysis.KindUse)
	a := c.sort(parseRow("-write=w"), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	for _, o := range a.operands {
		kind, rest, prefixed := strings.Cut(o, ":")
		if prefixed && !strings.ContainsAny(kind, "/.") {
			o = rest
		}
		switch {
		case strings.HasPrefix(o, "|"):
			c.shell(value{o[1:]}, c.name)
		case strings.HasPrefix(o, "@"):
			c.reads(o[1:])
		case strings.HasPrefix(o, "//") && prefixed:
			c.peer(c.place, kind+":"+o, c.name)
		case prefixed && strings.EqualFold(kind, "ephemeral"):
			c.deletes(o)
		default:
			c.role(roleBoth, o, nil)
		}
	}
	return c.depends()
}
