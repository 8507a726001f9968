package py

import (
	"path"
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// isInstaller recognizes the command line of a package manager.
func isInstaller(line string) bool {
	words := strings.Fields(line)
	for i, w := range words {
		w = w[strings.LastIndexByte(w, '/')+1:]
		switch w {
		case "pip", "pip3", "uv", "conda", "mamba", "npm", "apt", "apt-get", "apk", "yum", "dnf", "gem", "cargo", "poetry", "pipx":
			for _, x := range words[i+1:] {
				if x == "install" || x == "add" || x == "download" {
					return true
				}
			}
		}
	}
	return false
}

// commandLine is a list of words as a shell's command line.
func commandLine(l *list) (string, bool) {
	if !l.exact {
		return "", false
	}
	words := make([]string, 0, len(l.elems))
	for _, e := range l.elems {
		o, ok := e.only()
		s, isText, _ := plainText(o)
		if o == symbol("sys.executable") {
			s, isText = "/usr/bin/python3", true
		}
		if !ok || !isText {
			return "", false
		}
		words = append(words, quoted(s))
	}
	return strings.Join(words, " "), true
}

// quoted writes a word so that a shell reads it as that word.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}

// processOptions reports what keywords say of a program that is started: the
// folder it starts in, and the file that it is in truth.
func (in *interp) processOptions(n python.Node, f analysis.Fact, args callArgs) {
	if cwd := args.kw["cwd"]; !cwd.empty() && !cwd.has(cNone{}) {
		g := f
		g.Capability, g.Argument, g.Unknown = palisade.CapReadPath, "", false
		in.paths(n, g, cwd, false)
	}
	names, _ := args.kw["executable"].strings()
	for _, name := range names {
		if base := path.Base(name); base == "sh" || base == "bash" || base == "dash" {
			continue // with shell=True: which of them makes no difference
		}
		g := f
		g.Argument, g.Unknown = quoted(name)+" ", true // its arguments are those of the command
		in.report(n, g)
	}
}
