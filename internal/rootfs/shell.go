package rootfs

import (
	"cmp"
	"os"
	"strings"
)

// DefaultShell is the interpreter of shell programs when config names none.
const DefaultShell = "/bin/bash"

// DefaultCommands are the programs that a box for the shell has when config
// names none: what POSIX lists and texts about shell programming use, of
// Debian's packages named below. None of them reaches a network, and none gets
// a privilege: modes that give one are dropped. Python comes with its standard
// library.
func DefaultCommands() []string { return strings.Fields(defaultCommands) }

const defaultCommands = "python3 " +
	// bash, dash
	"bash sh dash " +
	// coreutils
	"[ arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date dd df dir dirname " +
	"du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls md5sum mkdir " +
	"mkfifo mktemp mv nice nl nohup nproc numfmt od paste pathchk pr printenv printf ptx pwd readlink realpath rm rmdir " +
	"seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail " +
	"tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami yes " +
	// findutils, grep, sed, mawk or gawk, diffutils, patch
	"find xargs grep egrep fgrep sed awk mawk gawk diff cmp diff3 sdiff patch " +
	// tar, gzip, bzip2, xz-utils, zip, unzip, zstd
	"tar gzip gunzip zcat zgrep bzip2 bunzip2 bzcat xz unxz xzcat zip unzip zstd " +
	// bsdextrautils, util-linux, debianutils, procps, hostname
	"col column colrm hexdump hd look rev getopt flock setsid more run-parts which ps pgrep pkill kill free uptime hostname " +
	// bc, dc, ed, file, less, jq, tree, vim-common
	"bc dc ed file less jq tree xxd"

// ForShell is the root of boxes for shell programs. Nil commands are the
// default ones.
func ForShell(python, shell string, commands []string) Config {
	if commands == nil {
		commands = DefaultCommands()
	}
	return Config{
		Kind: "shell", Python: python, NoPackages: true, Program: cmp.Or(shell, DefaultShell), Commands: commands,
		Data: []string{"/bin/sh", "/usr/share/misc/magic.mgc"}, // what scripts begin with; what file(1) knows
	}
}

// ForNode is the root of boxes for JavaScript.
func ForNode(python, node string) Config {
	return Config{
		Kind: "node", Python: python, NoPackages: true, Program: cmp.Or(node, DefaultNode()),
		// Debian's node reads some of its own modules from there, and OpenSSL's
		// configuration is none of the host's.
		Data: []string{"/usr/share/nodejs/acorn", "/usr/share/nodejs/acorn-walk", "/usr/share/nodejs/cjs-module-lexer", "/usr/share/nodejs/undici"},
	}
}

// DefaultNode is the interpreter of JavaScript when config names none: Debian's
// and most others', else what an installer put under /usr/local. It is never
// looked up through PATH.
func DefaultNode() string {
	const local = "/usr/local/bin/node"
	if _, err := os.Stat("/usr/bin/node"); err != nil {
		if _, err := os.Stat(local); err == nil {
			return local
		}
	}
	return "/usr/bin/node"
}
