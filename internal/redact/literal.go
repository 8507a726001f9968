package redact

import "strings"

// path is a configured path of the host.
type path struct{ prefix, as string }

// start implements matcher.
func (p path) start() string { return p.prefix }

// find implements matcher.
func (p path) find(b []byte, e end) (match, verdict) {
	if v := hasPrefix(b, p.prefix, false); v != yes {
		return match{}, v.at(e)
	}
	n := len(p.prefix)
	if v := ends(b[n:], func(c byte) bool { return c != '/' && pathByte(c) }, e); v != yes {
		return match{}, v
	}
	// A placeholder stands for bytes that made the name longer.
	switch _, v := atPlaceholder(b[n:], e); v {
	case yes:
		return match{}, no
	case need:
		return match{}, need
	}
	if p.as != "" {
		return match{n: n, as: p.as}, yes
	}
	return match{n: n, as: placeholder("host-path"), run: pathByte}, yes
}

// pathByte is what paths are commonly made of. A path with a space in it is
// redacted up to the space.
func pathByte(c byte) bool {
	return alnum(c) || c >= 0x80 || strings.IndexByte("/._-+@%~=", c) >= 0
}

// name is a configured name of the host, in lower case.
type name struct{ text, as string }

// minName is the length from which a name is distinct enough, in bytes.
const minName = 4

// start implements matcher.
func (n name) start() string { return n.text }

// find implements matcher.
func (n name) find(b []byte, e end) (match, verdict) {
	if v := hasPrefix(b, n.text, true); v != yes {
		return match{}, v.at(e)
	}
	size := len(n.text)
	if v := ends(b[size:], alnum, e); v != yes {
		return match{}, v
	}
	return match{n: size, as: placeholder(n.as)}, yes
}

// nameLike reports whether a name begins like a word and is no number.
func nameLike(text string) bool {
	hasLetter := false
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
		hasLetter = hasLetter || lower(text[i])
	}
	return hasLetter && alnum(text[0])
}

// common reports whether a host's or user's name is also an ordinary word of
// programs' output.
func common(name string) bool {
	switch name {
	case "root", "admin", "user", "users", "nobody", "guest", "test", "tests", "data", "home", "work", "main",
		"localhost", "host", "server", "client", "worker", "runner", "build", "builder", "docker", "container",
		"ubuntu", "debian", "fedora", "linux", "python", "node", "desktop", "laptop", "default", "service",
		"daemon", "system", "local", "example", "vagrant", "jenkins", "gitlab", "github", "palisade", "redacted",
		"host-name", "user-name", "host-path", "true", "false", "none", "null":
		return true
	}
	return false
}
