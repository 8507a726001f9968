package py

import (
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// callSite is what a use may read its argument from.
type callSite struct {
	args callArgs
	self val
}

// use reports one use of a symbol; without a call site its argument is unknown.
func (in *interp) use(n python.Node, s symbol, u use, site *callSite, evidence string) {
	f := analysis.Fact{Capability: u.capability, Symbol: string(s), Evidence: evidence}
	if evidence == "" {
		f.Evidence = respelled(calleeOf(n), string(s))
	}
	if u.capability == palisade.CapInstall {
		f.Kind = analysis.KindPackage
	}
	if u.arg == argNone {
		in.report(n, f)
		return
	}
	if site == nil {
		f.Unknown = true
		in.report(n, f)
		if u.kind == modeUse {
			f.Capability = palisade.CapWritePath
			in.report(n, f)
		}
		return
	}
	v := site.self
	if u.kind == ifUse || u.kind == unlessUse {
		_, named := site.args.kw[u.key]
		in.choice(n, f, u, site.args.get(u.arg, u.key), named || u.arg < len(site.args.pos))
		return
	}
	if u.arg != argSelf {
		v = site.args.get(u.arg, u.key)
	}
	if v.empty() && u.arg != argSelf && u.kind != docUse {
		switch {
		case u.hasDeflt:
			v = text(u.deflt)
		case u.optional:
			if u.kind == exprUse && isExpression(s) {
				in.sympified(n, f, u, site)
			}
			return
		default:
			v = unknown
		}
	}
	if u.kind == pathUse || u.kind == modeUse || u.kind == osModeUse {
		for _, key := range []string{"dir_fd", "src_dir_fd", "dst_dir_fd"} {
			if fd := site.args.kw[key]; !fd.empty() && !fd.has(cNone{}) {
				v = unknown // relative to a folder that is not known
			}
		}
	}
	switch u.kind {
	case plain:
		in.report(n, f)
	case refUse:
	case pmodeUse, osModeUse:
		in.openUse(n, f, u, v, site)
	case queryUse:
		in.query(n, string(s), v, site.args.scope, !strings.HasPrefix(string(s), "?."))
	case exprUse:
		in.expression(n, f, v, site.args.scope, u.optional)
		if isExpression(s) {
			in.sympified(n, f, u, site)
		}
	case formulaUse:
		in.formula(n, f, v, site.args.scope)
	case yamlUse, npLoadUse, torchLoadUse:
		in.loader(n, f, u, v, site)
	case pickleUse:
		if _, strange := in.unpickle(n, s, v); strange {
			in.report(n, f)
		}
	case templateUse:
		in.template(n, f, v)
	case whenUse:
		if truth, known := truthOf(site.args.get(u.mode, u.modeKey)); truth || !known && !site.args.get(u.mode, u.modeKey).empty() {
			in.paths(n, f, v, false)
		}
	case stmtUse, scriptUse:
		in.statement(n, f, v, u.kind == scriptUse, !strings.HasPrefix(string(s), "?."))
	case sqliteUse:
		in.sqliteConnect(n, f, v, site)
	case sqlUse:
		in.database(n, f, v)
	case codeUse:
		in.code(n, f, v, site.args.scope)
	case readUse:
		in.readCode(n, f, v, site.args.scope)
	case docUse:
		in.examples(n, f, v)
	case pathUse:
		in.paths(n, f, v, false)
	case urlUse:
		in.paths(n, f, v, true)
		if s == "PIL.Image.open" {
			in.postScript(n, f, v)
		}
	case modeUse:
		read, write := fileMode(site.args.get(u.mode, u.modeKey))
		if read {
			in.paths(n, f, v, true)
		}
		if write {
			f.Capability = palisade.CapWritePath
			in.paths(n, f, v, false)
		}
	case peerUse:
		in.peers(n, f, v)
	default:
		in.words(n, f, v, u.optional)
		if f.Capability == palisade.CapProcess {
			in.processOptions(n, f, site.args)
		}
	}
}

// calleeOf is what a call calls.
func calleeOf(n python.Node) python.Node {
	if c, ok := n.(*python.Call); ok {
		return c.Func
	}
	return n
}

// fileMode says what an open mode does; one that is not known may do both.
func fileMode(v val) (read, write bool) {
	if v.empty() {
		return true, false
	}
	modes, other := v.strings()
	read, write = other, other
	for _, m := range modes {
		if strings.ContainsAny(m, "wax+") {
			write = true
		}
		if !strings.ContainsAny(m, "wax") || strings.Contains(m, "+") {
			read = true
		}
	}
	return read, write
}

// words reports each plain string; a list of them is one command line.
func (in *interp) words(n python.Node, f analysis.Fact, v val, optional bool) {
	open := v.open
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case cStr:
			in.argument(n, f, string(o))
		case cBytes:
			in.argument(n, f, string(o))
		case cNone:
			if !optional {
				open = true
			}
		case pattern:
			in.argument(n, f, string(o))
		case prefix:
			open = true
			if o != "" {
				f.Evidence = strings.TrimSpace(f.Evidence + " starts with " + clip(string(o)))
				if f.Capability == palisade.CapProcess {
					f.Argument = string(o)
				}
			}
		case *list:
			if line, ok := commandLine(o); ok {
				in.argument(n, f, line)
			} else {
				open = true
			}
		case *instance:
			if o.of == symbol("pathlib.Path") {
				in.words(n, f, o.text, optional)
				continue
			}
			if o.of == symbol("urllib.request.Request") && len(o.args) > 0 {
				in.words(n, f, o.args[0], optional)
				continue
			}
			open = true
		default:
			open = true
		}
	}
	if open {
		f.Unknown = true
		in.report(n, f)
	}
}

func (in *interp) argument(n python.Node, f analysis.Fact, arg string) {
	f.Argument = arg
	if f.Capability == palisade.CapNetwork && isFileURL(arg) {
		f.Capability = palisade.CapReadPath
		_, rest, _ := strings.Cut(arg, ":")
		in.paths(n, f, text("file://"+strings.TrimPrefix(rest, "//")), false)
		return
	}
	if f.Capability == palisade.CapProcess || f.Capability == palisade.CapInstall {
		if isInstaller(arg) {
			g := f
			g.Capability, g.Kind = palisade.CapInstall, analysis.KindPackage
			in.report(n, g)
		}
	}
	in.report(n, f)
}

// paths reports each path that v may be; with urls, a URL is a peer.
func (in *interp) paths(n python.Node, f analysis.Fact, v val, urls bool) {
	var seen []*list
	known, hint, other := in.pathTexts(v, 0, &seen)
	in.steps += len(seen)
	for _, p := range known {
		g := f
		g.Argument = analysis.Path(p)
		if analysis.IsURL(p) && (urls || strings.Contains(f.Symbol, ".to_")) { // pandas writes to peers, too
			g.Capability, g.Argument = palisade.CapNetwork, p
		}
		in.report(n, g)
		if savesTeX(f.Symbol, p) || opensPostScript(f.Symbol, p) {
			h := g
			h.Capability, h.Evidence = palisade.CapProcess, "a file of this kind is drawn by another program"
			in.report(n, h)
		}
		if analysis.IsCredential(g.Argument) {
			g.Capability, g.Kind = palisade.CapSecret, analysis.KindCredentials
			in.report(n, g)
		}
	}
	if other {
		f.Unknown = true
		if hint != "" {
			f.Evidence = strings.TrimSpace(f.Evidence + " starts with " + clip(hint))
			if isSystemPrefix(hint) {
				// Whatever follows, it is not in the workspace.
				f.Argument = analysis.Path(hint)
			}
		}
		in.report(n, f)
	}
}

// isSystemPrefix reports whether whatever starts so leaves the workspace.
func isSystemPrefix(s string) bool {
	for _, p := range []string{"/etc/", "/proc/", "/sys/", "/dev/", "/root/", "/home/", "/usr/", "/var/", "/boot/", "/bin/", "~", "http://", "https://"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// pathTexts gives the paths that v may be, a hint of one that is known in
// part, and whether there may be others. What is not a path (an open file, a
// buffer, a descriptor of a standard stream, None) is left out. Each list is
// looked into once.
func (in *interp) pathTexts(v val, depth int, seen *[]*list) (known []string, hint string, other bool) {
	other = v.open
	if depth > 4 {
		return nil, "", true
	}
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case cStr:
			known = append(known, string(o))
		case cBytes:
			known = append(known, string(o))
		case pattern:
			known = append(known, string(o))
		case prefix:
			hint, other = string(o), true
		case cNone, cBool:
		case cInt:
			if o < 0 || o > 2 {
				other = true
			}
		case *instance:
			switch {
			case o.of == symbol("pathlib.Path"):
				k, h, more := in.pathTexts(o.text, depth+1, seen)
				known, other = append(known, k...), other || more
				if h != "" {
					hint = h
				}
			case o.of == symbol("urllib.request.Request") && len(o.args) > 0:
				k, h, more := in.pathTexts(o.args[0], depth+1, seen)
				known, hint, other = append(known, k...), h, other || more
			case isFileLike(o.of):
			default:
				other = true
			}
		case *list:
			if slices.Contains(*seen, o) {
				continue
			}
			*seen = append(*seen, o)
			k, h, more := in.pathTexts(o.element(), depth+1, seen)
			known, other = append(known, k...), other || more || !o.exact && o.rest.empty()
			if h != "" {
				hint = h
			}
		case symbol:
			if o != "sys.stdin" && o != "sys.stdout" && o != "sys.stderr" && o != "os.devnull" {
				other = true
			}
		default:
			other = true
		}
	}
	return known, hint, other
}

// fileLike are classes of open files and buffers.
var fileLike = nameSet(`io.StringIO io.BytesIO io.TextIOWrapper io.BufferedReader io.BufferedWriter io.FileIO
	tempfile.NamedTemporaryFile tempfile.TemporaryFile tempfile.SpooledTemporaryFile gzip.GzipFile
	bz2.BZ2File lzma.LZMAFile zipfile.ZipExtFile urllib.request.urlopen requests.Response socket.SocketIO
	pandas.ExcelWriter pandas.ExcelFile`)

func isFileLike(of object) bool {
	s, ok := of.(symbol)
	return ok && fileLike[string(s)]
}

// peers reports each address that v may be: (host, port) or a name.
func (in *interp) peers(n python.Node, f analysis.Fact, v val) {
	open := v.open
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case cStr:
			in.argument(n, f, string(o))
		case *list:
			if !o.exact || len(o.elems) < 2 {
				open = true
				continue
			}
			hosts, other := o.elems[0].strings()
			port := "*"
			if p, ok := o.elems[1].only(); ok {
				if s, _, ok := asText(p); ok {
					port = s
				}
			}
			for _, h := range hosts {
				if strings.Contains(h, ":") {
					h = "[" + h + "]"
				}
				in.argument(n, f, h+":"+port)
			}
			open = open || other
		case cNone:
		default:
			open = true
		}
	}
	if open {
		f.Unknown = true
		in.report(n, f)
	}
}

// isFileURL reports whether a URL names a file of this machine. Source:
// urllib.request, FileHandler and URLopener.open_local_file.
func isFileURL(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	return ok && (strings.EqualFold(scheme, "file") || strings.EqualFold(scheme, "local_file"))
}
