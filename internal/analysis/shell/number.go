package shell

import "strings"

// number is what a command prints that prints numbers, or nothing of what it
// reads; nil for any other. A number is not known, but it comes from nowhere
// outside: in arithmetic it is no expression. Source: POSIX.1-2024 (Shell &
// Utilities) and the manuals of GNU coreutils and grep.
func (c *call) number(a arguments) value {
	switch c.name {
	case "seq":
		if !a.flag("-s", "--separator", "-f", "--format") {
			return unknown
		}
	case "wc": // with operands it prints their names
		if len(a.operands) == 0 && !a.flag("--files0-from") {
			return unknown
		}
	case "grep", "egrep", "fgrep": // with more than one file it prints their names
		files := len(a.operands)
		if !a.flag("-e", "--regexp", "-f", "--file") {
			files--
		}
		if a.flag("-c", "--count") && files <= 1 && !a.flag("-r", "-R", "--recursive", "--dereference-recursive", "-H", "--with-filename", "--label") {
			return unknown
		}
	case "nproc":
		return unknown
	case "date", "expr", "id", "uname", "arch", "getconf", "tput":
		return value{worst(strings.Join(c.args, ""))}
	}
	return nil
}
