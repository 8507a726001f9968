package shell

import (
	"path"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// absolute is a path against the working directory; holes and marks stay.
func (in *interp) absolute(sc *scope, s string) string {
	if strings.HasPrefix(s, "/") || strings.HasPrefix(strings.ToLower(s), "file:") || strings.HasPrefix(s, "~") || s == "" || s[0] >= holeFile || analysis.IsURL(s) {
		return s
	}
	v, _ := sc.lookup(keyFolder)
	folder := squash(v.value)
	return strings.TrimSuffix(folder, "/") + "/" + s
}

// path reports the use of a path, and what else it is: a URL, a credential, a
// device.
func (in *interp) path(sc *scope, p place, c palisade.Capability, s, symbol string) {
	switch {
	case s == "" || s == "-":
		return
	case isDescriptor(s): // it is open already
		return
	case analysis.IsURL(plain(prefix(s))):
		in.peer(p, s, symbol)
		return
	}
	if folder, _ := sc.lookup(keyFolder); len(folder.value) > 1 && in.absolute(sc, s) != s {
		for _, f := range folder.value { // wherever it may be
			in.path(sc, p, c, strings.TrimSuffix(f, "/")+"/"+s, symbol)
		}
		return
	}
	full := in.absolute(sc, s)
	if c == palisade.CapWritePath && strings.HasPrefix(path.Base(plain(s)), "-") {
		in.fact(p, analysis.Fact{
			Capability: palisade.CapObfuscation, Symbol: symbol, Argument: strings.ToValidUTF8(shown(s), "…"), Kind: analysis.KindShadow,
			Evidence: "a file's name that a pattern makes an option of a later command",
		})
	}
	if up, ok := climbs(full); ok {
		in.path(sc, p, c, up, symbol)
	}
	f := analysis.Fact{Capability: c, Symbol: symbol}
	if written := plain(s); written != "" && !strings.HasPrefix(written, "/") {
		f.Evidence = shown(s)
	}
	known, whole := certain(full)
	if whole {
		f.Argument = analysis.Path(known)
		in.fact(p, f)
		in.named(p, f, full)
		return
	}
	f.Unknown, f.Evidence = true, "of what begins with "+shown(full)
	if strings.HasPrefix(known, "/") || strings.HasPrefix(known, "~") {
		f.Argument = analysis.Path(known)
	}
	in.fact(p, f)
	in.tail(p, f, full)
	// Whatever follows lies under the last folder that is known.
	if i := strings.LastIndexByte(known, '/'); i >= 0 {
		under := analysis.Path(known[:i+1])
		if !strings.HasPrefix(under+"/", analysis.Workspace+"/") {
			f.Argument, f.Unknown = under, false
			f.Evidence = "of something under it: " + shown(full)
			in.fact(p, f)
			in.named(p, f, known)
		}
	}
}

// isDescriptor reports whether a path is one of the program's own descriptors,
// of which those of <(…) have a number of ours (word.go).
func isDescriptor(s string) bool {
	number, ok := strings.CutPrefix(plain(s), "/dev/fd/")
	if !ok {
		number, ok = strings.CutPrefix(plain(s), "/proc/self/fd/")
	}
	return ok && number != "" && strings.Trim(number, "0123456789-") == ""
}

// certain is the part of a path before what is not known; whole says that there
// is nothing after it. A pattern is known: it stands for files in its folder.
func certain(s string) (string, bool) {
	if i := firstHole(s); i >= 0 {
		return plain(s[:i]), false
	}
	return plain(s), true
}

// climbs gives the path that a pattern stands for where it matches the folder
// above, as .* does.
func climbs(s string) (string, bool) {
	if !isPattern(s) {
		return "", false
	}
	parts := strings.Split(s, "/")
	changed := false
	for i, p := range parts {
		if strings.HasPrefix(p, ".") && isPattern(p) {
			if ok, _ := path.Match(plain(p), ".."); ok {
				parts[i], changed = "..", true
			}
		}
	}
	return strings.Join(parts, "/"), changed
}

// named reports what a known path is beside a path.
func (in *interp) named(p place, f analysis.Fact, full string) {
	switch {
	case analysis.IsCredential(f.Argument):
		in.credential(p, f)
	case isPattern(full):
		for _, c := range credentialFiles {
			if ok, _ := path.Match(f.Argument, c); ok {
				g := f
				g.Argument = c
				in.credential(p, g)
			}
		}
	}
	if strings.HasPrefix(f.Argument, "/dev/") && !harmlessDevice(f.Argument) {
		in.fact(p, analysis.Fact{Capability: palisade.CapSystemInfo, Symbol: f.Symbol, Argument: f.Argument, Kind: analysis.KindDevice, Evidence: f.Evidence})
	}
}

// tail looks at how a path ends of which the beginning is not known.
func (in *interp) tail(p place, f analysis.Fact, full string) {
	if end := plain(suffix(full)); analysis.IsCredential(end) || analysis.IsCredential("/"+end) && strings.HasPrefix(end, ".") {
		f.Argument = end
		in.credential(p, f)
	}
}

func (in *interp) credential(p place, f analysis.Fact) {
	in.fact(p, analysis.Fact{
		Capability: palisade.CapSecret, Symbol: f.Symbol, Argument: f.Argument, Kind: analysis.KindCredentials, Evidence: f.Evidence,
	})
}

// credentialFiles are those that a pattern is tried on.
var credentialFiles = []string{
	"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/root/.ssh/id_rsa", "/root/.ssh/id_ed25519", "/root/.ssh/authorized_keys",
	"/root/.aws/credentials", "/root/.bash_history", "/root/.netrc", "/proc/self/environ", "/proc/1/environ",
	"/run/secrets/token", "/var/run/docker.sock",
}

// harmlessDevice reports whether a device is one that programs use as a matter
// of course. Source: the Filesystem Hierarchy Standard, 6.1.3.
func harmlessDevice(p string) bool {
	switch p {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/dev/shm/") || strings.HasPrefix(p, "/dev/pts/")
}
