package policy

import (
	"path"
	"strings"
)

// glob is an absolute path in segments; "**" stands for any number of them.
type glob struct {
	pattern  string
	segments []string
}

func globs(patterns []string) []glob {
	out := make([]glob, len(patterns))
	for i, p := range patterns {
		out[i] = glob{p, segments(p)}
	}
	return out
}

func segments(name string) []string {
	if name == "/" {
		return nil
	}
	return strings.Split(strings.TrimPrefix(name, "/"), "/")
}

// maxSegments bounds a path that is matched; a deeper one matches nothing.
const maxSegments = 256

// match reports whether the glob names the cleaned absolute path. The work is
// bounded by the product of the two lengths.
func (g glob) match(name string) bool {
	parts := segments(name)
	if len(parts) > maxSegments {
		return false
	}
	// reached[i] says that the segments so far match the first i parts.
	reached := make([]bool, len(parts)+1)
	reached[0] = true
	for _, segment := range g.segments {
		next := make([]bool, len(parts)+1)
		if segment == "**" {
			seen := false
			for i := range reached {
				seen = seen || reached[i]
				next[i] = seen
			}
		} else {
			for i := range parts {
				next[i+1] = reached[i] && wild(segment, parts[i])
			}
		}
		reached = next
	}
	return reached[len(parts)]
}

// wild matches one segment, where * stands for any characters.
func wild(pattern, text string) bool {
	first, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for {
		part, more, found := strings.Cut(rest, "*")
		if !found {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, rest = text[at+len(part):], more
	}
}

func matchAny(list []glob, name string) (string, bool) {
	for _, g := range list {
		if g.match(name) {
			return g.pattern, true
		}
	}
	return "", false
}

// cleanPath returns an argument as a cleaned absolute path; false when it is
// none (relative, home of someone, with characters that no honest path has).
func cleanPath(argument string) (string, bool) {
	if !strings.HasPrefix(argument, "/") || strings.ContainsFunc(argument, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	return path.Clean(argument), true
}
