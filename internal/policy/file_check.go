package policy

import (
	"strings"

	"palisade/internal/peer"
)

// dotted checks a pattern of names: identifiers with dots, with a star only at
// the end. It returns what to do about a wrong one.
func dotted(pattern string) string {
	name := strings.TrimSuffix(pattern, "*")
	whole := name == pattern
	if !whole {
		name = strings.TrimSuffix(name, ".")
	}
	if name == "" && pattern == "*" {
		return ""
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || part[0] >= '0' && part[0] <= '9' || strings.ContainsFunc(part, func(r rune) bool {
			return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
		}) {
			return "write a name such as os.path, with a star only at its end (path.*)"
		}
	}
	return ""
}

func validGlob(pattern string) string {
	const fix = "write an absolute path such as /work/**, where ** stands alone between slashes"
	if !strings.HasPrefix(pattern, "/") || len(pattern) > 512 {
		return fix
	}
	for segment := range strings.SplitSeq(pattern[1:], "/") {
		if segment == "" && pattern != "/" || segment == "." || segment == ".." || strings.Contains(segment, "**") && segment != "**" {
			return fix
		}
	}
	return ""
}

func validPeer(pattern string) string {
	if _, err := peer.Parse(pattern); err != nil {
		return "write a host name, *.domain, an address or a prefix, with an optional port"
	}
	return ""
}
