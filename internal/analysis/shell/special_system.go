package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// crontab keeps commands that the system runs later, over and over.
func (c *call) crontab(_ row) value {
	a := c.sort(parseRow("-u=v -T=r -s -i"), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	const table = "/var/spool/cron/crontabs"
	switch {
	case a.flag("-l"):
		c.reads(table)
		return unknown
	case a.flag("-r"):
		c.deletes(table)
		return text("")
	}
	c.writes(table)
	entries := c.stdin
	if len(a.operands) > 0 && plain(a.operands[0]) != "-" {
		c.reads(a.operands[0])
		entries = c.content(c.sc, a.operands[0])
	}
	for _, s := range entries {
		for line := range strings.SplitSeq(s, "\n") {
			if code, ok := cronCommand(line); ok {
				c.interp.run(c.sc.layer(), c.place, value{code}, "crontab", unknown)
			}
		}
	}
	return text("")
}

// cronCommand is the command of a line of a crontab: behind five fields, or
// one that begins with @.
func cronCommand(line string) (string, bool) {
	line = strings.TrimSpace(line)
	n := 5
	if strings.HasPrefix(line, "@") {
		n = 1
	} else if line == "" || strings.IndexByte("0123456789*", line[0]) < 0 {
		return "", false
	}
	for range n {
		_, rest, ok := strings.Cut(line, " ")
		if !ok {
			return "", false
		}
		line = strings.TrimLeft(rest, " \t")
	}
	return line, true
}

// later is at and batch: their input runs later.
func (c *call) later(_ row) value {
	a := c.sort(parseRow("-f=f -t= -q= -m -M"), false)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	c.writes("/var/spool/cron/atjobs")
	if !a.flag("-f", "-l", "-d", "-r") {
		c.interp.run(c.sc.layer(), c.place, c.stdin, c.name, unknown)
	}
	return text("")
}

// service looks at services or changes them.
func (c *call) service(_ row) value {
	for _, arg := range c.args {
		switch plain(arg) {
		case "status", "list-units", "list-unit-files", "is-active", "is-enabled", "is-failed", "show", "cat", "list-timers", "list-dependencies", "--status-all", "--list", "list":
			c.report(palisade.CapSystemInfo, "", analysis.KindUse)
			return unknown
		case "enable", "link", "add", "load", "bootstrap", "preset":
			c.writes("/etc/systemd/system")
		}
	}
	c.effect(palisade.CapSideEffect, c.line(), "changes the services of the system")
	return unknown
}

func (c *call) mount(_ row) value {
	if len(c.args) == 0 || len(c.args) == 1 && plain(c.args[0]) == "-l" {
		c.report(palisade.CapSystemInfo, "", analysis.KindUse)
		return unknown
	}
	c.report(palisade.CapPrivilege, "mounts a file system: "+c.line(), analysis.KindUse)
	return text("")
}

// sysctl reads settings of the kernel, or changes them.
func (c *call) sysctl(_ row) value {
	a := c.sort(parseRow("-p? --load? -w=_ -r= --pattern= -f=r"), false)
	for _, s := range append(a.operands, strings.Join(a.flags, " ")) {
		if strings.Contains(plain(s), "=") || strings.Contains(plain(s), "-p") || strings.Contains(plain(s), "--system") {
			c.effect(palisade.CapPrivilege, s, "changes a setting of the kernel")
			return text("")
		}
	}
	if v, ok := a.value("-w"); ok {
		c.effect(palisade.CapPrivilege, v, "changes a setting of the kernel")
		return text("")
	}
	c.report(palisade.CapSystemInfo, "", analysis.KindUse)
	return unknown
}

// control is hostnamectl and its kin: with a verb that sets, they change.
func (c *call) control(_ row) value {
	c.report(palisade.CapSystemInfo, "", analysis.KindUse)
	for _, a := range c.args {
		if p := plain(a); strings.HasPrefix(p, "set") || strings.Contains(p, "kill") || strings.Contains(p, "terminate") || strings.Contains(p, "enable") || hasHole(a) {
			c.effect(palisade.CapSideEffect, c.line(), "changes a setting of the system")
			return unknown
		}
	}
	return unknown
}

// getent asks the databases of the system.
func (c *call) getent(_ row) value {
	if len(c.args) == 0 {
		return unknown
	}
	switch plain(c.args[0]) {
	case "shadow", "gshadow":
		c.reads("/etc/" + plain(c.args[0]))
	case "passwd", "group", "hosts", "services", "protocols", "networks":
		if len(c.args) > 1 && plain(c.args[0]) == "hosts" {
			c.peer(c.place, c.args[1], c.name)
			break
		}
		c.reads("/etc/" + plain(c.args[0]))
	case "ahosts", "ahostsv4", "ahostsv6":
		if len(c.args) > 1 {
			c.peer(c.place, c.args[1], c.name)
		}
	}
	return unknown
}

func (c *call) fuser(_ row) value {
	a := c.sort(parseRow("-n= -N? -k? --kill? -M? -w? -i?"), false)
	c.report(palisade.CapSystemInfo, "", analysis.KindUse)
	if a.flag("-k", "--kill") {
		c.effect(palisade.CapKill, strings.Join(a.operands, " "), "kills who uses a file")
	}
	c.reads(a.operands...)
	return unknown
}

// container starts and changes containers: whoever may speak to their daemon
// has the rights of root. Source: docker(1), Docker daemon attack surface.
func (c *call) container(_ row) value {
	verb := ""
	for i, a := range c.args {
		p := plain(a)
		if !strings.HasPrefix(p, "-") {
			verb = p
			c.containerOptions(c.args[i+1:])
			break
		}
		if strings.HasPrefix(p, "-H") || strings.HasPrefix(p, "--host") {
			c.effect(palisade.CapNetwork, "", "a daemon elsewhere: "+c.line())
		}
	}
	switch verb {
	case "ps", "images", "version", "info", "inspect", "logs", "top", "stats", "history", "port", "diff", "events", "ls", "list", "":
		c.report(palisade.CapSystemInfo, "", analysis.KindUse)
	case "pull", "push", "login", "search", "logout":
		c.effect(palisade.CapNetwork, "", c.line())
	case "rm", "rmi", "prune", "kill", "stop", "down", "system", "volume", "network":
		c.effect(palisade.CapDestroy, c.line(), "destroys containers or what they keep")
	default:
		c.effect(palisade.CapPrivilege, c.line(), "starts or changes a container")
	}
	return unknown
}

func (c *call) containerOptions(args fields) {
	for i, a := range args {
		p := plain(a)
		v := ""
		if _, attached, ok := strings.Cut(a, "="); ok {
			v = attached
		} else if i+1 < len(args) {
			v = args[i+1]
		}
		switch name, _, _ := strings.Cut(p, "="); name {
		case "-v", "--volume":
			host, _, _ := strings.Cut(v, ":")
			if strings.HasPrefix(plain(host), "/") || hasHole(host) || strings.HasPrefix(plain(host), "~") || strings.HasPrefix(plain(host), ".") {
				c.reads(host)
				c.writes(host)
			}
		case "--mount":
			for part := range strings.SplitSeq(v, ",") {
				if key, src, _ := strings.Cut(part, "="); plain(key) == "source" || plain(key) == "src" {
					c.reads(src)
					c.writes(src)
				}
			}
		case "--env-file", "-f", "--file":
			c.reads(v)
		}
	}
}

// cluster is kubectl.
func (c *call) cluster(_ row) value {
	a := c.sort(parseRow("-n= --namespace= --context= --kubeconfig=r -f=r --filename=r -k=r -l= -o= --cluster= --server=p -s=p --token=c --username=c --password=c --as= -c= --image="), true)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	c.effect(palisade.CapNetwork, "", "the cluster's API")
	verb := ""
	if len(a.operands) > 0 {
		verb = plain(a.operands[0])
	}
	switch verb {
	case "get", "describe", "logs", "top", "version", "cluster-info", "api-resources", "explain", "diff", "api-versions", "wait", "events":
		if strings.Contains(plain(strings.Join(a.operands, " ")), "secret") {
			c.effect(palisade.CapSecret, c.line(), "reads a secret of the cluster")
		}
	case "delete", "drain", "evict":
		c.effect(palisade.CapDestroy, c.line(), "")
	case "exec", "run", "attach", "cp", "port-forward", "proxy", "debug":
		c.effect(palisade.CapPrivilege, c.line(), "reaches into the cluster")
	default:
		c.effect(palisade.CapSideEffect, c.line(), "changes the cluster")
	}
	return network
}

// infrastructure is terraform and its kin.
func (c *call) infrastructure(_ row) value {
	a := c.sort(parseRow("-chdir=_ -var= -var-file=r -i=r --inventory=r -e=r --extra-vars=r -C= -s= -m= -a=s --args=s --vault-password-file=r -u=v --become?"), false)
	for _, s := range a.values {
		if s.role == roleShell {
			c.effect(palisade.CapProcess, s.value, "runs a command on other hosts")
			continue
		}
		c.role(s.role, s.value, nil)
	}
	line := plain(strings.Join(c.args, " "))
	switch {
	case strings.Contains(line, "destroy"):
		c.effect(palisade.CapDestroy, c.line(), "")
	case strings.Contains(line, "validate") || strings.Contains(line, "fmt") || strings.Contains(line, "version"):
		c.reads(".")
	default:
		c.effect(palisade.CapNetwork, "", "the API of a provider")
		c.effect(palisade.CapSideEffect, c.line(), "changes infrastructure")
	}
	return network
}

// cloud is the command line of a cloud.
func (c *call) cloud(_ row) value {
	c.effect(palisade.CapNetwork, "", "the API of a cloud: "+c.line())
	line := plain(strings.Join(c.args, " "))
	switch {
	case strings.Contains(line, "delete") || strings.Contains(line, "terminate") || strings.Contains(line, "destroy") || strings.Contains(line, " rm") || strings.Contains(line, " rb"):
		c.effect(palisade.CapDestroy, c.line(), "")
	case strings.Contains(line, "secret") || strings.Contains(line, "token") || strings.Contains(line, "credential") || strings.Contains(line, "get-parameter") || strings.Contains(line, "configure"):
		c.effect(palisade.CapSecret, c.line(), "")
	case strings.Contains(line, "list") || strings.Contains(line, "describe") || strings.Contains(line, " ls") || strings.Contains(line, "--version"):
	default:
		c.effect(palisade.CapSideEffect, c.line(), "changes something in a cloud")
	}
	for _, a := range c.args {
		if p := plain(a); strings.HasPrefix(p, "/") || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "~/") {
			c.reads(a)
			c.writes(a)
		}
	}
	return network
}

// osascript runs AppleScript, in which "do shell script" runs commands.
func (c *call) osascript(_ row) value {
	a := c.sort(parseRow("-e=s -l= -s="), false)
	for _, s := range a.values {
		if s.role == roleShell {
			c.foreignCode(s.value, "-e")
			if _, code, ok := strings.Cut(plain(s.value), "do shell script \""); ok {
				code, _, _ = strings.Cut(code, "\"")
				c.shell(value{code}, c.name)
			}
		}
	}
	for _, o := range a.operands {
		c.role(roleFile, o, nil)
	}
	return unknown
}
