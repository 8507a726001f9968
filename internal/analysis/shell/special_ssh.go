package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// ssh runs commands elsewhere, and some here. Source: ssh_config(5).
func (c *call) ssh(r row) value {
	a := c.sort(r, true)
	for _, s := range a.values {
		switch s.name {
		case "-o":
			c.sshOption(s.value)
		case "-L", "-D":
			c.effect(palisade.CapListen, s.value, "forwards a port")
		case "-R", "-W":
			c.effect(palisade.CapNetwork, "", "forwards "+shown(s.value))
		default:
			c.role(s.role, s.value, nil)
		}
	}
	if len(a.operands) == 0 {
		return network
	}
	host := a.operands[0]
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	c.peer(c.place, host, c.name)
	if len(a.operands) > 1 {
		c.effect(palisade.CapProcess, strings.Join(a.operands[1:], " "), "runs a command on another host")
	}
	return network
}

// sshOption is an option that can run a command on this side.
func (c *call) sshOption(s string) {
	key, v, ok := strings.Cut(s, "=")
	if !ok {
		key, v, _ = strings.Cut(s, " ")
	}
	switch strings.ToLower(strings.TrimSpace(plain(key))) {
	case "proxycommand", "localcommand", "knownhostscommand", "pkcs11provider", "securitykeyprovider", "xauthlocation", "proxyusefdpass":
		c.shell(value{v}, c.name+" -o "+plain(key))
	case "identityfile", "userknownhostsfile", "certificatefile":
		c.reads(v)
	case "include":
		c.role(roleFile, v, nil)
	}
}

// copy is scp, sftp and rsync: host:path is elsewhere, the rest is here.
func (c *call) copy(r row) value {
	a := c.sort(r, false)
	for _, s := range a.values {
		switch {
		case s.name == "-o" && c.name != "rsync":
			c.sshOption(s.value)
		case s.role == roleShell:
			c.stdin = text("")
			c.shell(value{s.value}, c.name+" "+s.name)
		default:
			c.role(s.role, s.value, nil)
		}
	}
	if a.flag("--daemon") {
		c.effect(palisade.CapListen, "", "a server")
	}
	operands := a.operands
	if c.name == "rclone" && len(operands) > 0 {
		operands = operands[1:]
	}
	for i, o := range operands {
		last := i == len(operands)-1 && i > 0
		host, _, remote := strings.Cut(plain(o), ":")
		switch {
		case strings.HasPrefix(plain(o), "rsync://") || analysis.IsURL(plain(prefix(o))):
			c.peer(c.place, o, c.name)
		case remote && !strings.Contains(host, "/") || c.name == "sftp":
			if at := strings.LastIndexByte(host, '@'); at >= 0 {
				host = host[at+1:]
			}
			c.peer(c.place, host, c.name)
		case last:
			c.writes(o)
			if a.flag("--delete", "--delete-after", "--delete-before", "--delete-during", "--delete-excluded", "--del") {
				c.deletes(o)
			}
		default:
			c.reads(o)
			if a.flag("--remove-source-files") {
				c.deletes(o)
			}
		}
	}
	if c.name == "rsync" && len(operands) == 0 {
		return c.depends()
	}
	return text("")
}

// dig asks a name server; a name that is computed carries data out.
func (c *call) dig(r row) value {
	a := c.sort(parseRow("-f=r -k=r -p= -t= -c= -q= -b= -x=p -y="), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	for _, o := range a.operands {
		if strings.HasPrefix(plain(o), "+") {
			continue
		}
		c.peer(c.place, strings.TrimPrefix(o, "@"), c.name)
	}
	return network
}
