package py

import (
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
		in.choice(n, f, u, site.args.get(u.arg, u.key))
		return
	}
	if u.arg != argSelf {
		v = site.args.get(u.arg, u.key)
	}
	if v.empty() && u.arg != argSelf {
		switch {
		case u.hasDeflt:
			v = text(u.deflt)
		case u.optional:
			return
		default:
			v = unknown
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
	case formulaUse:
		in.formula(n, f, v, site.args.scope)
	case yamlUse, npLoadUse, torchLoadUse:
		in.loader(n, f, u, v, site)
	case stmtUse, scriptUse:
		in.statement(n, f, v, u.kind == scriptUse, !strings.HasPrefix(string(s), "?."))
	case sqliteUse:
		in.sqliteConnect(n, f, v, site)
	case sqlUse:
		in.database(n, f, v)
	case codeUse:
		in.code(n, f, v, site.args.scope)
	case pathUse:
		in.paths(n, f, v, false)
	case urlUse:
		in.paths(n, f, v, true)
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
	for _, o := range v.objs {
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
	if f.Capability == palisade.CapProcess || f.Capability == palisade.CapInstall {
		if isInstaller(arg) {
			g := f
			g.Capability, g.Kind = palisade.CapInstall, analysis.KindPackage
			in.report(n, g)
		}
	}
	in.report(n, f)
}

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

func commandLine(l *list) (string, bool) {
	if !l.exact {
		return "", false
	}
	words := make([]string, 0, len(l.elems))
	for _, e := range l.elems {
		o, ok := e.only()
		s, isText, _ := plainText(o)
		if !ok || !isText {
			return "", false
		}
		words = append(words, s)
	}
	return strings.Join(words, " "), true
}

// paths reports each path that v may be; with urls, a URL is a peer.
func (in *interp) paths(n python.Node, f analysis.Fact, v val, urls bool) {
	known, hint, other := in.pathTexts(v, 0)
	for _, p := range known {
		g := f
		g.Argument = analysis.Path(p)
		if urls && analysis.IsURL(p) {
			g.Capability, g.Argument = palisade.CapNetwork, p
		}
		in.report(n, g)
		if isCredential(g.Argument) {
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

// credentialPaths are where credentials live, by a part of the path.
// Source: the documentation of each tool.
var credentialPaths = []string{
	"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/.ssh/", "/.ssh", "/.aws/", "/.netrc", "/.pgpass", "/.docker/config.json",
	"/.kube/config", "/.git-credentials", "/.config/gcloud", "/.azure/", "/.npmrc", "/.pypirc", "/.gnupg/",
	"/.bash_history", "/.env", "/environ", "/etc/ssl/private", "/run/secrets", "/.config/gh/", "/id_rsa", "/.vault-token",
	"/var/run/docker.sock", "/run/docker.sock", "/.my.cnf", "/krb5.keytab",
}

func isCredential(path string) bool {
	for _, c := range credentialPaths {
		if strings.HasSuffix(path, c) || strings.HasSuffix(c, "/") && strings.Contains(path, c) || c[:5] == "/etc/" && strings.HasPrefix(path, c) {
			return true
		}
	}
	return false
}

// pathTexts gives the paths that v may be, a hint of one that is known in
// part, and whether there may be others. What is not a path (an open file, a
// buffer, a descriptor of a standard stream, None) is left out.
func (in *interp) pathTexts(v val, depth int) (known []string, hint string, other bool) {
	other = v.open
	if depth > 4 {
		return nil, "", true
	}
	for _, o := range v.objs {
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
				k, h, more := in.pathTexts(o.text, depth+1)
				known, other = append(known, k...), other || more
				if h != "" {
					hint = h
				}
			case o.of == symbol("urllib.request.Request") && len(o.args) > 0:
				k, h, more := in.pathTexts(o.args[0], depth+1)
				known, hint, other = append(known, k...), h, other || more
			case isFileLike(o.of):
			default:
				other = true
			}
		case *list:
			k, h, more := in.pathTexts(o.element(), depth+1)
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
	for _, o := range v.objs {
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

// code reports text that is run as code, and reads it where it is known.
func (in *interp) code(n python.Node, f analysis.Fact, v val, s *scope) {
	f.Kind = analysis.KindText
	open := v.open || v.empty()
	for _, o := range v.objs {
		switch o := o.(type) {
		case cStr, cBytes:
			src, _, _ := plainText(o)
			f.Argument = src
			in.report(n, f)
			in.runText(n, src, s)
		case *instance:
			if o.of == symbol("builtins.compile") {
				f.Argument = "compiled code"
				in.report(n, f)
				continue
			}
			open = true
		case *function, *method:
		default:
			open = true
		}
	}
	if open {
		f.Argument, f.Unknown = "", true
		in.report(n, f)
	}
}
