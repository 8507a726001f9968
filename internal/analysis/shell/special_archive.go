package shell

import (
	"strings"

	"palisade"
)

const tarRow = "-f=_ --file=_ -C=_ --directory=_ -T=r --files-from=r -X=r --exclude-from=r --exclude= -I=s --use-compress-program=s --rsh-command=s --rmt-command=s " +
	"--to-command=s --checkpoint? --checkpoint-action=_ -F=s --info-script=s --new-volume-script=s -g=b --listed-incremental=b -N= -K= --transform=_ --xform=_ " +
	"--owner= --group= --mode= --mtime= --strip-components= -L= -b= -H= --format= -V= --volno-file=w --index-file=w --suffix= --warning= --sort= --pax-option="

// tar packs and unpacks, and has several ways to run commands.
func (c *call) tar(_ row) value {
	args := c.args
	if len(args) > 0 && args[0] != "" && !strings.HasPrefix(args[0], "-") && !hasHole(args[0]) {
		args = c.oldStyle(args)
	}
	d := *c
	d.args = args
	a := d.sort(parseRow(tarRow), false)
	folder := "."
	for _, s := range a.values {
		switch {
		case s.name == "--checkpoint-action":
			if code, ok := strings.CutPrefix(plain(s.value), "exec="); ok {
				c.shell(value{code}, "tar --checkpoint-action")
			} else if hasHole(s.value) {
				c.unresolved(c.place, c.name, "a computed action")
			}
		case s.name == "-C" || s.name == "--directory":
			folder = s.value
		case s.name == "--transform" || s.name == "--xform":
			if code := plain(s.value); strings.HasPrefix(code, "s") && strings.HasSuffix(code, "e") && strings.Contains(code, "/e") {
				c.unresolved(c.place, c.name, "a transformation that runs")
			}
		default:
			c.role(s.role, s.value, nil)
		}
	}
	archive, _ := a.value("-f", "--file")
	if host, _, ok := strings.Cut(plain(archive), ":"); ok && !strings.Contains(host, "/") && !a.flag("--force-local") {
		c.effect(palisade.CapNetwork, host, "an archive on another host")
	}
	inFolder := *c
	if folder != "." {
		layer := c.sc.layer()
		layer.set(keyFolder, variable{value: text(c.absolute(c.sc, folder))})
		inFolder.sc = layer
	}
	switch {
	case a.flag("-c", "--create", "-r", "--append", "-u", "--update", "-A"):
		c.writes(archive)
		inFolder.reads(a.operands...)
		if a.flag("--remove-files") {
			inFolder.deletes(a.operands...)
		}
	case a.flag("-t", "--list", "-d", "--diff", "--compare"):
		c.reads(archive)
	default:
		c.reads(archive)
		if !a.flag("-O", "--to-stdout") {
			c.writes(folder)
		}
		if a.flag("-P", "--absolute-names") {
			c.writes("/")
		}
	}
	return c.depends()
}

// oldStyle makes options of tar's first word: "czf a b" is "-c -z -f a b".
func (c *call) oldStyle(args fields) fields {
	letters, rest := plain(args[0]), args[1:]
	var out fields
	for _, l := range letters {
		out = append(out, "-"+string(l))
		if strings.ContainsRune("fCTXIFgNKLbHV", l) && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

func (c *call) cpio(_ row) value {
	r := parseRow("-D=_ --directory=_ -F=_ --file=_ -I=r -O=w -E=r --pattern-file=r -H= --format= -R= --owner= -C= -M= --rsh-command=s --to-command=s")
	a := c.sort(r, false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	folder := "."
	if d, ok := a.value("-D", "--directory"); ok {
		folder = d
	}
	archive, _ := a.value("-F", "--file")
	switch {
	case a.flag("-p", "--pass-through"):
		c.reads(c.stdinPaths()...)
		c.writes(a.operands...)
	case a.flag("-o", "--create"):
		c.reads(c.stdinPaths()...)
		c.writes(archive)
	default:
		c.reads(archive)
		c.writes(folder)
	}
	return c.depends()
}

// stdinPaths are the paths that a command reads from its input, one a line.
func (c *call) stdinPaths() fields {
	var out fields
	for _, s := range c.stdin {
		for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
			if len(out) >= maxFields {
				return append(out, unknown[0])
			}
			if line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

func (c *call) zip(_ row) value {
	r := parseRow("w r* -TT=s --unzip-command=s -P=c --password=c -b=w -x= -i= -n= -t= -tt= -s= -O=w --out=w -@ -m")
	a := c.sort(r, false)
	if a.flag("-m", "--move") && len(a.operands) > 1 {
		c.deletes(a.operands[1:]...)
	}
	return c.roles(r, a)
}

func (c *call) unzip(_ row) value {
	r := parseRow("r _* -d=w -x= -P=c -p -l -t -v -Z")
	a := c.sort(r, false)
	if !a.flag("-l", "-t", "-p", "-v", "-Z", "-d") && c.name == "unzip" {
		c.writes(".")
	}
	return c.roles(r, a)
}
