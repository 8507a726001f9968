package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

// sinks is where standard output goes, if not to whoever asked.
type sinks struct {
	away  bool
	paths []string
	add   bool // >>
}

// redirections interprets redirections. It gives what standard input is then.
func (in *interp) redirections(sc *scope, list []*syntax.Redirect, stdin value) (value, sinks) {
	var out sinks
	for _, r := range list {
		in.step(1)
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			in.assign(sc, in.at(r), strings.Trim(r.N.Value, "{}"), unknown)
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if r.Hdoc == nil {
				break
			}
			v := in.hereDocument(sc, r)
			in.descriptor(r, v)
			if input(r) {
				stdin = v
			}
		case syntax.WordHdoc:
			v := concat(in.text(sc, r.Word), text("\n"))
			in.descriptor(r, v)
			if input(r) {
				stdin = v
			}
		case syntax.DplIn, syntax.DplOut:
			stdin = in.duplicate(sc, r, stdin, &out)
		default:
			stdin = in.redirect(sc, r, stdin, &out)
		}
	}
	return stdin, out
}

func input(r *syntax.Redirect) bool { return r.N == nil || r.N.Value == "0" }

// hereDocument is the text of one; a quoted delimiter means that it stands as
// it is.
func (in *interp) hereDocument(sc *scope, r *syntax.Redirect) value {
	quoted := false
	for _, p := range r.Word.Parts {
		l, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(l.Value, "\\")
	}
	body := r.Hdoc
	if r.Op == syntax.DashHdoc {
		body = untabbed(body)
	}
	if !quoted {
		return in.document(sc, body)
	}
	out := ""
	for _, p := range body.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			out += l.Value
		}
	}
	return text(emptied(out))
}

// untabbed is the body of <<-, without the tabs that lines begin with.
func untabbed(w *syntax.Word) *syntax.Word {
	out := &syntax.Word{}
	for i, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			text := l.Value
			if i == 0 {
				text = "\n" + text
			}
			lines := strings.Split(text, "\n")
			for j := 1; j < len(lines); j++ {
				lines[j] = strings.TrimLeft(lines[j], "\t")
			}
			text = strings.Join(lines, "\n")
			if i == 0 {
				text = text[1:]
			}
			p = &syntax.Lit{ValuePos: l.ValuePos, ValueEnd: l.ValueEnd, Value: text}
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}

// duplicate interprets >& and <&: another descriptor, or a file.
func (in *interp) duplicate(sc *scope, r *syntax.Redirect, stdin value, out *sinks) value {
	for _, s := range in.text(sc, r.Word) {
		number := strings.TrimSuffix(plain(s), "-")
		switch isNumber := strings.Trim(number, "0123456789") == ""; {
		case !isNumber && !hasHole(s):
			return in.redirect(sc, r, stdin, out)
		case input(r) && r.Op == syntax.DplIn || r.N != nil && r.N.Value == "0":
			if v, ok := in.descriptors[number]; ok {
				stdin = v
			}
		case r.Op == syntax.DplOut && (r.N == nil || r.N.Value == "1") && number != "1":
			out.away = true
		}
	}
	return stdin
}

// redirect interprets the redirection of a file.
func (in *interp) redirect(sc *scope, r *syntax.Redirect, stdin value, out *sinks) value {
	var targets value
	for _, list := range in.words(sc, []*syntax.Word{r.Word}) {
		targets = append(targets, list...)
	}
	p := in.at(r)
	for _, s := range targets {
		read, write := r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut || r.Op == syntax.DplIn, r.Op != syntax.RdrIn && r.Op != syntax.DplIn
		if peer, ok := socket(s); ok {
			in.peer(p, peer, "/dev/"+peerKind(s))
			in.descriptor(r, network)
		} else {
			in.descriptor(r, in.content(sc, s))
			if read {
				in.path(sc, p, palisade.CapReadPath, s, "<")
			}
			if write {
				in.path(sc, p, palisade.CapWritePath, s, r.Op.String())
			}
		}
		if read && input(r) {
			stdin = in.content(sc, s)
		}
		if write && (r.N == nil || r.N.Value == "1") {
			out.away = true
			out.add = r.Op == syntax.AppOut || r.Op == syntax.AppAll
			out.paths = append(out.paths, in.absolute(sc, s))
		}
	}
	return stdin
}

// descriptor remembers what is read from a descriptor, whichever command opened
// it. >& and &> open the standard output.
func (in *interp) descriptor(r *syntax.Redirect, v value) {
	n := "1"
	switch {
	case r.N != nil:
		n = r.N.Value
	case r.Op != syntax.RdrOut && r.Op != syntax.AppOut && r.Op != syntax.DplOut && r.Op != syntax.RdrAll && r.Op != syntax.AppAll && r.Op != syntax.RdrClob:
		n = "0"
	}
	in.descriptors[n] = v
}

// sink gives what is left of some output, and keeps what went to a file.
func (in *interp) sink(out value, s sinks) value {
	if !s.away {
		return out
	}
	for _, path := range s.paths {
		in.store(path, out, s.add)
	}
	return text("")
}

// maxFiles bounds the files whose contents are kept.
const maxFiles = 256

// store keeps what was written to a file: it may hold any of it.
func (in *interp) store(path string, v value, add bool) {
	path = fileKey(path)
	old, ok := in.files[path]
	switch {
	case !ok && len(in.files) >= maxFiles:
	case ok && add:
		in.files[path] = join(old, concat(old, v))
	case ok:
		in.files[path] = join(old, v)
	default:
		in.files[path] = v
	}
}

// fileKey is the name under which a file's content is kept.
func fileKey(path string) string {
	if hasHole(path) || isPattern(path) {
		return path
	}
	return analysis.Path(plain(path))
}

// content is what a file holds: what the program wrote to it, or anything.
func (in *interp) content(sc *scope, s string) value {
	if _, ok := socket(s); ok {
		return value{string([]byte{holeNetwork})}
	}
	if v, ok := in.files[fileKey(in.absolute(sc, s))]; ok {
		return v
	}
	if has(s, holeNetwork) {
		return value{string([]byte{holeNetwork})}
	}
	return value{string([]byte{holeFile})}
}

// socket is the peer of Bash's own network files: /dev/tcp/host/port.
func socket(s string) (string, bool) {
	rest, ok := strings.CutPrefix(plain(s), "/dev/tcp/")
	if !ok {
		rest, ok = strings.CutPrefix(plain(s), "/dev/udp/")
	}
	if !ok {
		return "", false
	}
	host, port, _ := strings.Cut(rest, "/")
	if hasHole(host) || host == "" {
		return rest, true
	}
	if hasHole(port) || port == "" {
		return host, true
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port, true
}

func peerKind(s string) string { return plain(s)[len("/dev/") : len("/dev/")+3] }

// peer reports a network peer.
func (in *interp) peer(p place, s, symbol string) {
	f := analysis.Fact{Capability: palisade.CapNetwork, Symbol: symbol, Argument: plain(s)}
	if hasHole(s) {
		f.Argument, f.Evidence = "", "of what begins with "+shown(s)
		if host, ok := hostOf(prefix(plain(s))); ok {
			f.Argument = host
		} else {
			f.Unknown = true
		}
	}
	in.fact(p, f)
	if host := analysis.MetadataHost(plain(s)); host != "" {
		in.fact(p, analysis.Fact{Capability: palisade.CapNetwork, Symbol: "metadata service", Argument: host, Kind: analysis.KindAddress})
	}
}

// hostOf is the known beginning of a URL, if it says which host it is.
func hostOf(s string) (string, bool) {
	if i := strings.Index(s, "://"); i > 0 {
		if j := strings.IndexAny(s[i+3:], "/?#"); j > 0 && !strings.ContainsAny(s[i+3:i+3+j], "@\\") {
			return s[:i+3+j+1], true
		}
	}
	return "", false
}
