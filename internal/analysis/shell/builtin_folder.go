package shell

import (
	"strings"

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
