package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// vim runs commands of its own, and through them everything.
func (c *call) vim(_ row) value {
	a := c.sort(parseRow("-c=s --cmd=s -S=f -s=r -u=f -U=f -i=w -w=w -W=w -T= -t= -r? -L?"), false)
	c.report(palisade.CapEvaluate, "an editor with a language of its own", analysis.KindUse)
	var files fields
	for _, o := range a.operands {
		if code, ok := strings.CutPrefix(o, "+"); ok {
			c.exCommand(code)
			continue
		}
		files = append(files, o)
	}
	for _, s := range a.values {
		if s.role == roleShell {
			c.exCommand(s.value)
			continue
		}
		c.role(s.role, s.value, nil)
	}
	if c.name == "ex" || a.flag("-e", "-E", "-s") {
		for _, s := range c.stdin {
			for line := range strings.SplitSeq(s, "\n") {
				c.exCommand(line)
			}
		}
	}
	c.reads(files...)
	c.writes(files...)
	return unknown
}

// exCommand reads one command of ex: those that run shell code, files or
// another language.
func (c *call) exCommand(s string) {
	for cmd := range strings.SplitSeq(s, "|") {
		cmd = strings.TrimLeft(cmd, ": \t%0123456789,.$'")
		p := plain(cmd)
		word, rest, _ := strings.Cut(p, " ")
		i := strings.IndexByte(cmd, '!')
		switch {
		case i >= 0 && (strings.HasPrefix(p, "!") || strings.HasPrefix(p, "r") || strings.HasPrefix(p, "w") || strings.HasPrefix(p, "sil") || strings.HasPrefix(p, "exe") || strings.HasPrefix(p, "term") || strings.HasPrefix(p, "read")):
			if strings.HasPrefix(p, "w!") || strings.HasPrefix(p, "wq!") || strings.HasPrefix(p, "write!") {
				c.writes(rest)
				continue
			}
			c.shell(value{cmd[i+1:]}, c.name+" :!")
		case word == "w" || word == "write" || word == "wq" || word == "saveas" || word == "sav":
			c.writes(rest)
		case word == "r" || word == "read" || word == "e" || word == "edit" || word == "sp" || word == "split" || word == "vs" || word == "tabe":
			c.reads(rest)
		case word == "so" || word == "source" || word == "luafile" || word == "pyfile" || word == "py3file" || word == "ru" || word == "runtime":
			c.role(roleFile, rest, nil)
		case strings.HasPrefix(word, "py"):
			c.embed(palisade.Python, "", rest, c.name+" :"+word)
		case word == "lua" || word == "ruby" || word == "perl" || word == "mzscheme" || word == "tcl" || word == "call" || word == "exe" || word == "execute" || word == "norm" || word == "normal" || word == "let" || word == "terminal" || word == "term" || word == "sh" || word == "shell" || word == "make" || word == "grep" || hasHole(cmd):
			c.unresolved(c.place, c.name, "runs a command of its own: "+shown(cmd))
		}
	}
}

func (c *call) emacs(_ row) value {
	a := c.sort(parseRow("-l=f --load=f -script=f --script=f -f=s --funcall=s --eval=s -eval=s -e=s --execute=s --insert=r -insert=r -u= -nw -batch -Q -q"), false)
	c.report(palisade.CapEvaluate, "an editor with a language of its own", analysis.KindUse)
	for _, s := range a.values {
		if s.role == roleShell {
			c.foreignCode(s.value, s.name)
			continue
		}
		c.role(s.role, s.value, nil)
	}
	c.reads(a.operands...)
	c.writes(a.operands...)
	return unknown
}

// ed reads commands from its input.
func (c *call) ed(_ row) value {
	a := c.sort(parseRow("-p= -s -v -G -l -r"), false)
	for _, o := range a.operands {
		if code, ok := strings.CutPrefix(o, "!"); ok {
			c.shell(value{code}, "ed !")
			continue
		}
		c.reads(o)
		c.writes(o)
	}
	for _, s := range c.stdin {
		if hasHole(s) && prefix(s) == "" {
			c.unresolved(c.place, c.name, "reads commands from its input")
			continue
		}
		for line := range strings.SplitSeq(s, "\n") {
			t := strings.TrimLeft(line, "0123456789,$.%;+- ")
			switch {
			case strings.HasPrefix(t, "!"):
				c.shell(value{t[1:]}, "ed !")
			case strings.HasPrefix(t, "r !"), strings.HasPrefix(t, "e !"), strings.HasPrefix(t, "w !"):
				c.shell(value{t[3:]}, "ed !")
			case strings.HasPrefix(t, "w "), strings.HasPrefix(t, "wq "), strings.HasPrefix(t, "W "):
				c.writes(strings.TrimSpace(t[2:]))
			case strings.HasPrefix(t, "r "), strings.HasPrefix(t, "e "), strings.HasPrefix(t, "E "):
				c.reads(strings.TrimSpace(t[2:]))
			}
		}
	}
	return unknown
}

// dc runs lines that begin with "!".
func (c *call) dc(_ row) value {
	a := c.sort(parseRow("-f=f --file=f -e=_ --expression=_"), false)
	texts := append(value{}, c.stdin...)
	for _, s := range a.values {
		if s.name == "-e" || s.name == "--expression" {
			texts = append(texts, s.value)
		}
		c.role(s.role, s.value, nil)
	}
	for _, s := range texts {
		if _, code, ok := strings.Cut(s, "!"); ok {
			line, _, _ := strings.Cut(code, "\n")
			if !strings.ContainsAny(line[:min(1, len(line))], "<>=") {
				c.shell(value{line}, "dc !")
			}
		}
	}
	c.role(roleFile, strings.Join(a.operands, " "), nil)
	return c.depends()
}

func (c *call) yq(_ row) value {
	r := parseRow("_ r* -i>b --inplace>b -f=r -o= -p= -I= --from-file=r^ -y -r --arg= --argjson=")
	a := c.sort(r, false)
	if len(a.operands) > 0 {
		if e := plain(a.operands[0]); e == "e" || e == "eval" || e == "ea" || e == "eval-all" {
			a.operands = a.operands[1:]
		}
		if e := plain(strings.Join(a.operands[:min(1, len(a.operands))], "")); strings.Contains(e, "load") || strings.Contains(e, "env") || strings.Contains(e, "system(") {
			c.unresolved(c.place, c.name, "an expression that reaches outside: "+shown(e))
		}
	}
	return c.roles(r, a)
}
