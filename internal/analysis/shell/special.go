package shell

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// special gives the function for what a row cannot say of a command: its
// arguments are a language of their own, or what they mean depends on others.
func special(name string) func(*call, row) value {
	switch name {
	// special_files.go
	case "chmod":
		return (*call).chmod
	case "install":
		return (*call).install
	case "shred":
		return (*call).shred
	case "squeeze":
		return (*call).squeeze
	case "dd":
		return (*call).dd
	case "image":
		return (*call).image
	case "dedupe":
		return (*call).dedupe
	// special_archive.go
	case "tar":
		return (*call).tar
	case "cpio":
		return (*call).cpio
	case "zip":
		return (*call).zip
	case "unzip":
		return (*call).unzip
	// special_find.go
	case "find":
		return (*call).find
	case "fd":
		return (*call).fd
	// special_run.go
	case "wrapper":
		return (*call).wrapper
	case "env":
		return (*call).env
	case "xargs":
		return (*call).xargs
	case "parallel":
		return (*call).parallel
	case "watch":
		return (*call).watch
	case "script":
		return (*call).scriptCommand
	case "folder":
		return (*call).runParts
	case "busybox":
		return (*call).busybox
	case "raise":
		return (*call).raise
	case "trace":
		return (*call).trace
	case "multiplex":
		return (*call).multiplex
	case "remote":
		return (*call).remote
	// special_code.go
	case "shell":
		return (*call).shellCommand
	case "interpreter":
		return (*call).interpreter
	case "database":
		return (*call).database
	case "compiler":
		return (*call).compiler
	case "build":
		return (*call).build
	case "package":
		return (*call).packages
	// special_edit.go
	case "sed":
		return (*call).sed
	case "awk":
		return (*call).awk
	case "vim":
		return (*call).vim
	case "emacs":
		return (*call).emacs
	case "ed":
		return (*call).ed
	case "dc":
		return (*call).dc
	case "yq":
		return (*call).yq
	// special_network.go
	case "curl":
		return (*call).curl
	case "wget":
		return (*call).wget
	case "netcat":
		return (*call).netcat
	case "socat":
		return (*call).socat
	case "ssh":
		return (*call).ssh
	case "copy":
		return (*call).copy
	case "dig":
		return (*call).dig
	case "openssl":
		return (*call).openssl
	case "interface":
		return (*call).networkInterface
	case "ss":
		return (*call).ss
	// special_git.go
	case "git":
		return (*call).git
	// special_system.go
	case "crontab":
		return (*call).crontab
	case "at":
		return (*call).later
	case "service":
		return (*call).service
	case "mount":
		return (*call).mount
	case "sysctl":
		return (*call).sysctl
	case "control":
		return (*call).control
	case "getent":
		return (*call).getent
	case "fuser":
		return (*call).fuser
	case "container":
		return (*call).container
	case "cluster":
		return (*call).cluster
	case "infrastructure":
		return (*call).infrastructure
	case "cloud":
		return (*call).cloud
	case "osascript":
		return (*call).osascript
	}
	return nil
}

// effect reports a capability with an argument.
func (c *call) effect(what palisade.Capability, argument, why string) {
	c.fact(c.place, analysis.Fact{
		Capability: what, Symbol: c.name, Argument: strings.ToValidUTF8(plain(prefix(argument)), ""), Unknown: hasHole(argument), Evidence: why,
	})
}

// reads, writes, deletes report paths.
func (c *call) reads(list ...string) {
	for _, s := range list {
		c.path(c.sc, c.place, palisade.CapReadPath, s, c.name)
	}
}

func (c *call) writes(list ...string) {
	for _, s := range list {
		c.path(c.sc, c.place, palisade.CapWritePath, s, c.name)
	}
}

func (c *call) deletes(list ...string) {
	for _, s := range list {
		c.path(c.sc, c.place, palisade.CapDeletePath, s, c.name)
	}
}

// depends is something unknown that depends on the arguments and the input.
func (c *call) depends() value {
	return value{worst(strings.Join(c.args, "") + squash(c.stdin))}
}
