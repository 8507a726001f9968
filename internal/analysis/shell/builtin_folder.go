package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"palisade/internal/analysis"
)

// changeFolder is cd, pushd and popd.
func (c *call) changeFolder() value {
	var target string
	some := false
	for _, a := range c.args {
		if len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "LPen@") == "" || a == "--" {
			continue
		}
		target, some = a, true
	}
	switch {
	case c.name == "popd":
		stack, _ := c.sc.lookup(keyStack)
		if n := len(stack.list); n > 0 {
			c.sc.set(keyFolder, variable{value: stack.list[n-1]})
			c.sc.set(keyStack, variable{array: true, list: stack.list[:n-1]})
		} else {
			c.sc.set(keyFolder, variable{value: unknown})
		}
		return text("")
	case target == "-":
		now, _ := c.sc.lookup(keyFolder)
		before, ok := c.sc.lookup("OLDPWD")
		if !ok || len(before.value) == 0 {
			before.value = unknown
		}
		c.sc.set(keyFolder, variable{value: before.value})
		c.sc.set("OLDPWD", variable{value: now.value})
		return text("")
	case c.name == "pushd" && !some:
		c.sc.set(keyFolder, variable{value: unknown})
		return text("")
	case !some:
		target = "~"
	}
	if c.name == "pushd" {
		now, _ := c.sc.lookup(keyFolder)
		stack, _ := c.sc.lookup(keyStack)
		if len(stack.list) < maxElements {
			c.sc.set(keyStack, variable{array: true, list: append(stack.list[:len(stack.list):len(stack.list)], now.value)})
		}
	}
	full := c.absolute(c.sc, target)
	if known, whole := certain(full); whole && !isPattern(full) {
		full = analysis.Path(known)
	} else if !whole {
		full = known + worst(full)
	} else {
		full = matched(full)
	}
	folder := text(full)
	now, _ := c.sc.lookup(keyFolder)
	c.sc.set("OLDPWD", variable{value: now.value})
	if !exists(full) { // it may fail, and then what follows runs where it was
		folder = join(folder, now.value)
	}
	c.sc.set(keyFolder, variable{value: folder})
	return text("")
}

// exists reports whether a folder is surely there.
func exists(dir string) bool {
	switch dir {
	case "/", "/etc", "/usr", "/tmp", "/proc", "/dev", "/work":
		return true
	}
	return false
}

// getopts gives the next option of a list; here each of them at once, with
// whatever may be its argument. Source: POSIX.1-2024, getopts.
func (c *call) getopts() {
	if len(c.args) > 1 && syntax.ValidName(plain(c.args[1])) {
		c.sc.set(plain(c.args[1]), variable{value: unknown})
	}
	var words []value
	if len(c.args) > 2 {
		for _, a := range c.args[2:] {
			words = append(words, value{a})
		}
	} else if given, ok := c.sc.lookup(keyArguments); ok {
		words = append(words, given.list...)
	}
	arguments := value{}
	for i, w := range words {
		for _, s := range w {
			switch {
			case hasHole(prefixOf(s, 1)):
				arguments = join(arguments, unknown)
			case len(s) > 1 && s[0] == '-' && s != "--":
				for k := 2; k <= min(len(s), 16); k++ {
					arguments = join(arguments, value{s[k:]})
				}
				if strings.HasPrefix(plain(c.args[0]), ":") { // the letter of a wrong one
					arguments = join(arguments, value{s[1:2]})
				}
				if i+1 < len(words) {
					arguments = join(arguments, words[i+1])
				}
			}
		}
	}
	if len(arguments) == 0 {
		arguments = unknown
	}
	c.sc.set("OPTARG", variable{value: arguments})
}

// prefixOf is the first bytes of a text.
func prefixOf(s string, n int) string { return s[:min(n, len(s))] }
