package analysis

import (
	"path"
	"strings"
)

// Workspace is the directory that a program starts in: relative paths are
// relative to it.
const Workspace = "/work"

// Path gives a path as policy compares it: absolute, without "." and "..",
// relative ones against [Workspace]; "~" is kept at the front, and URLs are
// kept as they are, but for file: URLs, which are paths. It is lexical: what a
// symbolic link leads to is the sandbox's business.
func Path(p string) string {
	if scheme, rest, ok := strings.Cut(p, "://"); ok && isScheme(scheme) {
		if !strings.EqualFold(scheme, "file") {
			return p
		}
		p = "/" + strings.TrimLeft(strings.TrimPrefix(rest, "localhost"), "/")
	}
	switch {
	case strings.HasPrefix(p, "~"):
		user, rest, _ := strings.Cut(p, "/")
		cleaned := path.Clean("/" + rest)
		if strings.Contains("/"+rest+"/", "/../") {
			return cleaned // it may leave the home directory: do not claim that it stays
		}
		return user + strings.TrimSuffix(cleaned, "/")
	case strings.HasPrefix(p, "/"):
		return path.Clean("/" + strings.TrimLeft(p, "/"))
	default:
		return path.Clean(Workspace + "/" + p)
	}
}

// IsURL reports whether s starts with a scheme that leads to a network peer.
func IsURL(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && isScheme(scheme) && !strings.EqualFold(scheme, "file")
}

// isScheme reports whether s is a URL scheme (RFC 3986, 3.1), perhaps of
// several chained ones, as fsspec writes "zip::s3".
func isScheme(s string) bool {
	for i, r := range s {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.:", r)) {
			return false
		}
	}
	return s != ""
}

// InWorkspace reports whether a path as [Path] gives it lies where a program may
// work: the workspace or the scratch directory.
func InWorkspace(p string) bool {
	for _, dir := range []string{Workspace, "/tmp"} {
		if p == dir || strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}
