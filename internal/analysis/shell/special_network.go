package shell

import (
	"path"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// network is the value of what came over the network.
var network = value{string([]byte{holeNetwork})}

// curl sends and fetches. Source: curl(1).
func (c *call) curl(r row) value {
	a := c.sort(r, false)
	saved := false
	for _, s := range a.values {
		switch plain(s.name) {
		case "-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "--url-query":
			c.dataOf(s.value)
		case "-F", "--form":
			_, v, _ := strings.Cut(s.value, "=")
			if name := strings.TrimLeft(plain(v), "@<"); name != plain(v) {
				name, _, _ = strings.Cut(name, ";")
				c.reads(name)
			}
		case "-H", "--header", "--proxy-header", "-w", "--write-out", "--variable":
			if i := strings.IndexByte(s.value, '@'); i == 0 || i > 0 && s.name == "--variable" {
				c.reads(s.value[i+1:])
			}
			if strings.HasPrefix(strings.ToLower(plain(s.value)), "authorization:") && !hasHole(s.value) {
				c.effect(palisade.CapCredential, "authorization header", "")
			}
		case "-b", "--cookie":
			if !strings.Contains(s.value, "=") {
				c.reads(s.value)
			}
		case "-e", "--engine":
		case "--unix-socket":
			c.reads(s.value)
			c.writes(s.value)
		case "-o", "--output":
			saved = true
			c.writes(s.value)
			c.keep(s.value)
		case "-K", "--config":
			if plain(s.value) == "-" {
				c.unresolved(c.place, c.name, "reads its options from its input")
			}
			c.reads(s.value)
		case "-T", "--upload-file":
			c.reads(s.value)
		default:
			c.role(s.role, s.value, nil)
		}
	}
	for _, o := range a.operands {
		c.url(o)
		if a.flag("-O", "--remote-name", "--remote-name-all", "-J", "--remote-header-name") {
			saved = true
			c.saveHere(o, a)
		}
	}
	if len(a.operands) == 0 && !a.flag("--url", "--version", "-V", "--help", "-h") {
		c.peer(c.place, unknown[0], c.name)
	}
	if saved {
		return text("")
	}
	return network
}

// keep remembers that a file holds what came over the network.
func (c *call) keep(name string) { c.store(c.absolute(c.sc, name), network, false) }

// saveHere is a file in the working directory that has the URL's last name.
func (c *call) saveHere(url string, a arguments) {
	name := path.Base(strings.SplitN(plain(url), "?", 2)[0])
	if hasHole(name) || name == "." || name == "/" {
		name = unknown[0]
	}
	if dir, ok := a.value("--output-dir", "-P", "--directory-prefix"); ok {
		name = dir + "/" + name
	}
	c.writes(name)
	c.keep(name)
}

// url is the peer of a URL, or the path of a file: one. Without a scheme it is
// a host.
func (c *call) url(s string) {
	p := plain(s)
	if strings.HasPrefix(strings.ToLower(p), "file:") {
		c.reads(s)
		return
	}
	if strings.HasPrefix(strings.ToLower(p), "gopher:") || strings.HasPrefix(strings.ToLower(p), "dict:") {
		c.effect(palisade.CapObfuscation, s, "speaks other protocols than it says")
	}
	if !analysis.IsURL(prefix(p)) && !hasHole(p) {
		host, _, _ := strings.Cut(p, "/")
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			host = host[at+1:]
		}
		c.peer(c.place, host, c.name)
		return
	}
	c.peer(c.place, s, c.name)
}

// dataOf is data to be sent: @file is a file, also behind a name.
func (c *call) dataOf(s string) {
	p := plain(s)
	if i := strings.IndexByte(p, '@'); i == 0 || i > 0 && !strings.ContainsAny(p[:i], "=& {\"") {
		c.reads(p[i+1:])
	}
}

// wget fetches files into the working directory. Source: wget(1).
func (c *call) wget(r row) value {
	a := c.sort(r, false)
	saved := true
	for _, s := range a.values {
		switch plain(s.name) {
		case "-O", "--output-document":
			if plain(s.value) == "-" || plain(s.value) == "/dev/stdout" {
				saved = false
				continue
			}
			c.writes(s.value)
			c.keep(s.value)
		case "-e", "--execute":
			key, v, _ := strings.Cut(plain(s.value), "=")
			switch strings.TrimSpace(key) {
			case "use_askpass":
				c.shell(value{strings.TrimSpace(v)}, "wget use_askpass")
			case "output_document", "logfile":
				c.writes(strings.TrimSpace(v))
			case "post_file", "body_file", "input":
				c.reads(strings.TrimSpace(v))
			}
		case "--header":
			if strings.HasPrefix(strings.ToLower(plain(s.value)), "authorization:") && !hasHole(s.value) {
				c.effect(palisade.CapCredential, "authorization header", "")
			}
		default:
			c.role(s.role, s.value, nil)
		}
	}
	_, named := a.value("-O", "--output-document")
	for _, o := range a.operands {
		c.url(o)
		if saved && !named && !a.flag("--spider") {
			c.saveHere(o, a)
		}
	}
	if len(a.operands) == 0 {
		c.peer(c.place, unknown[0], c.name)
	}
	if saved {
		return text("")
	}
	return network
}

// netcat connects or listens, perhaps with a command on the line.
func (c *call) netcat(r row) value {
	a := c.sort(r, false)
	c.stdin = join(c.stdin, network)
	for _, s := range a.values {
		if s.role == roleShell {
			c.effect(palisade.CapRemoteCode, s.value, "gives the network a command")
			c.shell(value{s.value}, c.name+" "+s.name)
			continue
		}
		c.role(s.role, s.value, nil)
	}
	switch {
	case a.flag("-U"):
		c.reads(a.operands...)
		c.writes(a.operands...)
	case a.flag("-l", "--listen", "-L"):
		port, _ := a.value("-p")
		c.effect(palisade.CapListen, strings.Join(append(a.operands, port), " "), "")
	case len(a.operands) > 1:
		c.peer(c.place, meld(a.operands[0]+":", a.operands[1]), c.name)
	case len(a.operands) == 1:
		c.peer(c.place, a.operands[0], c.name)
	default:
		c.peer(c.place, unknown[0], c.name)
	}
	return network
}

// socat joins two addresses. Source: socat(1), Address Types.
func (c *call) socat(_ row) value {
	for _, arg := range c.sort(parseRow("-lf=w -t= -T= -b= -r=w -R=w -L=w -W=w -x -v -d? -u -U"), false).operands {
		for part := range strings.SplitSeq(arg, "!!") {
			kind, rest, _ := strings.Cut(part, ":")
			main, _, _ := strings.Cut(rest, ",")
			switch k := strings.ToUpper(plain(kind)); {
			case k == "EXEC", k == "SYSTEM", k == "SHELL":
				c.effect(palisade.CapRemoteCode, main, "joins a command to another address")
				c.stdin = join(c.stdin, network)
				c.shell(value{main}, "socat "+k)
			case strings.HasSuffix(k, "LISTEN"), strings.HasSuffix(k, "-L"), strings.HasSuffix(k, "RECVFROM"), strings.HasSuffix(k, "RECV"):
				c.effect(palisade.CapListen, rest, "")
			case k == "OPEN", k == "CREATE", k == "CREAT", k == "GOPEN", k == "FILE", k == "PIPE", k == "UNIX", k == "UNIX-CONNECT", k == "UNIX-CLIENT", k == "ABSTRACT-CONNECT":
				c.reads(main)
				c.writes(main)
			case k == "STDIO", k == "STDIN", k == "STDOUT", k == "STDERR", k == "FD", k == "PTY", k == "READLINE", k == "-":
			case rest != "":
				c.peer(c.place, main, "socat "+k)
			case strings.HasPrefix(plain(kind), "/"):
				c.writes(kind)
			default:
				c.unresolved(c.place, c.name, "an address that is not known: "+shown(part))
			}
		}
	}
	return network
}

// openssl is many commands in one. Source: openssl(1).
func (c *call) openssl(_ row) value {
	if len(c.args) == 0 {
		return unknown
	}
	verb := plain(c.args[0])
	d := *c
	d.args = c.args[1:]
	a := d.sort(parseRow("-in=r -out=w -inkey=r -key=r -cert=r -CAfile=r -CApath=r -CAkey=r -CA=r -certfile=r -keyout=w -config=r -extfile=r -rand=r -writerand=w -pass=c -passin=c -passout=c -connect=p -proxy=p -host=p -accept=l -port=l -engine=N -provider=N -provider-path=N -K= -iv= -k=c -kfile=r -S= -md= -days= -subj= -newkey= -servername= -name= -signature=r -sign=r -verify=r -prverify=r -url=p -sess_out=w -sess_in=r -keylogfile=w -cipher= -A -starttls= -alpn= -rkey=r -rsigner=r -ciphers= -digest= -md"), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	switch verb {
	case "s_server", "ocsp", "s_time", "ts":
		if !a.flag("-accept", "-port", "-url", "-connect") {
			c.effect(palisade.CapListen, verb, "")
		}
		return network
	case "s_client":
		c.peerless(a)
		return network
	case "engine":
		c.effect(palisade.CapNative, strings.Join(c.args[1:], " "), "loads an engine")
	case "base64", "enc":
		in := c.stdin
		if file, ok := a.value("-in"); ok {
			in = c.content(c.sc, file)
		}
		if a.flag("-d") && (verb == "base64" || a.flag("-base64", "-a")) && !a.flag("-k", "-K", "-pass") {
			return decodeBase(c, arguments{flags: []string{"-d"}}, in)
		}
		if a.flag("-d") {
			return value{marked(unknown[0])}
		}
		return c.depends()
	}
	c.reads(a.operands...)
	return c.depends()
}

// peerless reports a connection whose peer no option names.
func (c *call) peerless(a arguments) {
	if a.flag("-connect", "-host") {
		return
	}
	if len(a.operands) > 0 {
		c.peer(c.place, a.operands[len(a.operands)-1], c.name)
		return
	}
	c.peer(c.place, unknown[0], c.name)
}

// networkInterface shows addresses and routes, or changes them.
func (c *call) networkInterface(_ row) value {
	c.report(palisade.CapSystemInfo, "", analysis.KindUse)
	for i, a := range c.args {
		switch plain(a) {
		case "add", "del", "delete", "set", "change", "replace", "append", "flush", "up", "down", "netmask", "mtu", "hw", "promisc", "-s", "netns", "link-local", "connect", "modify", "reload":
			c.report(palisade.CapPrivilege, "changes the network", analysis.KindUse)
			if plain(a) == "netns" && i+3 < len(c.args) && plain(c.args[i+1]) == "exec" {
				return c.external(c.args[i+3:])
			}
		case "-b", "-batch", "-force":
			if i+1 < len(c.args) {
				c.reads(c.args[i+1])
			}
		}
	}
	return unknown
}

func (c *call) ss(_ row) value {
	a := c.sort(parseRow("-F=r --filter=r -D=w --diag=w -f= -A= -K? --kill?"), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	if a.flag("-K", "--kill") && c.name == "ss" {
		c.report(palisade.CapKill, "closes connections", analysis.KindUse)
	}
	return unknown
}
