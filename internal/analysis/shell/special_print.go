package shell

import "strings"

// pathsPrinted are the paths that a command prints for they stand in its
// arguments: formats, and texts of its language.
func (c *call) pathsPrinted() value {
	if c.name != "date" && c.name != "seq" && c.name != "expr" && c.name != "jq" {
		return nil
	}
	out := value{}
	for _, arg := range c.args {
		s := strings.Trim(strings.TrimPrefix(plain(arg), "+"), `"`)
		if before, _, ok := strings.Cut(s, "%"); ok {
			s = before + string([]byte{hole})
		}
		if strings.HasPrefix(s, "/") && len(s) > 1 {
			out = join(out, value{s + "\n"})
		}
	}
	return out
}
