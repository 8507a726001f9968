package shell

import (
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// raise runs a command with other rights.
func (c *call) raise(_ row) value {
	c.report(palisade.CapPrivilege, "runs a command with other rights: "+c.line(), analysis.KindUse)
	options := "-u= --user= -g= --group= -h= -p= -C= -r= -t= -T= -U= -D= --chdir= -c=s --command=s -s= --shell= -w= -R= --preserve-env? -S? -t? -m? -p? -i? -n? -U? -C? --wd? -r? -G= -S= --setuid= --setgid= --reuid= --regid= --groups= --map-user= --propagation= --drop= --print"
	switch c.name {
	case "sudo":
		options = "-u= --user= -g= --group= -h= --host= -p= --prompt= -C= -r= --role= -t= --type= -T= -U= -D= --chdir= -R= --chroot= -a="
	case "su", "runuser":
		options = "-c=s --command=s -s= --shell= -g= --group= -G= --supp-group= -u= --user= -w= --session-command=s"
	case "nsenter":
		options = "-t= --target= -S= --setuid= -G= --setgid= -m? -u? -i? -n? -p? -U? -C? -T? -r? -w? --mount? --uts? --ipc? --net? --pid? --user? --root? --wd?"
	case "unshare":
		options = "-m? -u? -i? -n? -p? -U? -C? -T? -S= -G= -R= --root= -w= --wd= --map-user= --map-group= --propagation= --setgroups= --kill-child? --mount-proc?"
	case "chroot":
		options = "--userspec= --groups="
	case "bwrap", "proot", "firejail":
		options = "--bind? --ro-bind? --chdir= --setenv? -r= -b= -w= -R= -S= -0"
	}
	a := c.sort(parseRow(options), true)
	for _, s := range a.values {
		c.role(s.role, s.value, nil)
	}
	argv := a.operands
	switch c.name {
	case "sudo", "doas", "pkexec", "nsenter", "unshare", "setpriv", "fakeroot":
		if a.flag("-e", "--edit") && c.name == "sudo" {
			c.writes(argv...)
			return text("")
		}
		for len(argv) > 0 && strings.Contains(argv[0], "=") {
			name, v, _ := strings.Cut(argv[0], "=")
			c.poison(c.sc, c.place, plain(name), value{v})
			argv = argv[1:]
		}
	case "su", "runuser":
		if !a.flag("-u", "--user") {
			if !a.flag("-c", "--command") {
				c.shell(c.stdin, c.name) // an interactive shell reads its input
			}
			return unknown
		}
	case "chroot", "gosu", "su-exec", "sg", "machinectl":
		if len(argv) > 0 {
			argv = argv[1:]
		}
		if c.name == "sg" && len(argv) > 0 {
			return c.shell(value{strings.TrimPrefix(argv[len(argv)-1], "-c ")}, c.name)
		}
	case "capsh":
		if i := slices.Index(c.args, "--"); i >= 0 {
			return c.invoke(append(fields{"bash"}, c.args[i+1:]...))
		}
		return unknown
	case "bwrap", "proot", "firejail":
		for i, s := range argv {
			if isCommand(plain(s)) || strings.HasPrefix(plain(s), "/bin/") {
				return c.invoke(argv[i:])
			}
		}
		c.unresolved(c.place, c.name, "a command that could not be told from its options")
		return unknown
	case "newgrp":
		return unknown
	}
	if len(argv) == 0 {
		c.shell(c.stdin, c.name)
		return unknown
	}
	return c.external(argv)
}

// trace runs a command under a tracer, or looks into a process.
func (c *call) trace(_ row) value {
	a := c.sort(parseRow("-batch -nx -nh -q -n -b -p=k --pid=k -o=w -e= -s= -S= -a= -u=v -E= -O= -I= -P=r -x=r --command=r -ex=s -iex=s --eval-command=s -cd= -d= -c? --args -ix=r --tool= --log-file=w --suppressions=r --error-exitcode= -F= -g? -D?"), true)
	for _, s := range a.values {
		debugs := c.name == "gdb" || c.name == "lldb"
		switch {
		case s.role == roleShell, debugs && (s.name == "-o" || s.name == "-O" || s.name == "--one-line"):
			c.debugger(s.value)
			continue
		case debugs && (s.name == "-x" || s.name == "--command" || s.name == "-ix" || s.name == "-s" || s.name == "--source"):
			c.debuggerFile(s.value)
			continue
		}
		c.role(s.role, s.value, nil)
	}
	if a.flag("-p", "--pid") {
		c.report(palisade.CapPrivilege, "looks into another process", analysis.KindUse)
	}
	argv := a.operands
	switch c.name {
	case "perf", "uftrace", "rr":
		if len(argv) > 0 {
			argv = argv[1:]
		}
		if i := slices.Index(argv, "--"); i >= 0 {
			argv = argv[i+1:]
		}
	case "bpftrace", "dtrace", "sysdig":
		c.report(palisade.CapPrivilege, "traces the whole system", analysis.KindUse)
		return unknown
	case "gdb", "lldb":
		c.shell(text(""), c.name)
		if !a.flag("-n", "-nx", "--nx", "--no-lldbinit") {
			if content := c.scripts("." + c.name + "init"); content != nil {
				c.debuggerLines(content)
			}
		}
		c.debuggerLines(c.stdin)
	}
	if len(argv) == 0 {
		return unknown
	}
	return c.invoke(argv)
}
