package iac

import (
	"path"
	"slices"
	"strings"

	"palisade"
)

// command reports a program that is given as a list of words, and hands it to
// the shell's reader as the line that would start it. With here set it runs on
// the machine of whoever applies the file, which is a fact of its own.
func (r *report) command(words []*value, p place, symbol string, here bool) {
	line := commandLine(words)
	if here {
		argument := strings.ReplaceAll(line, `"`+gap+`"`, gap)
		r.add(p, fact{capability: palisade.CapEvaluate, symbol: symbol, argument: argument, how: "it runs on the machine that applies the file"})
	}
	r.embed(palisade.Shell, line, p, symbol)
}

// startsCode reports whether the first argument of an image's own program gives
// code to it: that program is a shell then, or it takes no such flag.
func startsCode(s string) bool {
	return len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.HasSuffix(s, "c")
}

// start hands on what a container starts with, where that is a command of the
// system or code in the words themselves. Any other program comes with the
// image, which is a finding of its own.
func (r *report) start(words []*value, p place, symbol string) {
	if carriesCode(words) {
		r.command(words, p, symbol, false)
	}
}

// wrappers run the command that follows their flags; some take a user first.
var wrappers = map[string]int{"tini": 0, "dumb-init": 0, "catatonit": 0, "gosu": 1, "su-exec": 1, "docker-entrypoint.sh": 0, "entrypoint.sh": 0}

// interpreters run a file, unless one of these letters in a flag gives them code
// or a module of their own. Source: their manuals.
var interpreters = map[string]string{
	"python": "cm", "pypy": "cm", "node": "ep", "nodejs": "ep", "bun": "ep", "deno": "ep", "tsx": "ep", "ruby": "e", "perl": "eE", "php": "rBRE",
	"lua": "e", "Rscript": "e", "elixir": "e", "groovy": "e", "scala": "e", "java": "", "dotnet": "",
}

// systemCommands are those that base images bring along, of which it is known
// what they do to a system. Source: the applets of BusyBox, the commands of
// coreutils, util-linux and procps, package managers, and clients that fetch.
const systemCommands = ` sh bash dash ash zsh ksh busybox env exec eval source xargs find nohup timeout nice ionice setsid stdbuf chroot
 unshare nsenter su sudo doas runuser setpriv capsh start-stop-daemon time watch flock script expect tee cat tac head tail cp mv rm rmdir
 mkdir mkfifo mknod ln link unlink shred truncate dd install touch chmod chown chgrp chattr setfacl setcap tar gzip gunzip zcat bzip2 xz
 unzip zip cpio ar sed awk gawk mawk grep egrep fgrep sort uniq cut tr xxd od hexdump base64 base32 openssl gpg echo printf ls stat
 mount umount losetup mkfs mkfs.ext4 fdisk parted swapon sysctl modprobe insmod rmmod dmesg reboot shutdown poweroff halt init systemctl
 service kill killall pkill ps top lsof fuser strace ltrace gdb id whoami who w last hostname uname passwd chpasswd useradd adduser usermod
 userdel groupadd addgroup crontab at curl wget fetch aria2c nc ncat netcat socat telnet ftp tftp ssh scp sftp rsync git svn hg iptables
 ip6tables nft ip ifconfig route arp tcpdump nmap ping dig nslookup host docker podman nerdctl crictl ctr kubectl helm aws gcloud az
 gsutil s3cmd mc terraform ansible vault apt apt-get dpkg apk yum dnf rpm zypper pacman pip pip3 pipx npm npx yarn pnpm gem cargo go make
 psql mysql mongo sqlite3 `

// carriesCode reports whether words start a command of the system, or an
// interpreter with code among its words. What is not known may be either.
func carriesCode(words []*value) bool {
	for len(words) > 0 {
		if !words[0].is(text) || words[0].unknown() {
			return true
		}
		base := path.Base(words[0].text)
		skip, wraps := wrappers[base]
		if !wraps {
			if letters, ok := interpreters[strings.TrimRight(base, "0123456789.")]; ok {
				return slices.ContainsFunc(words[1:], func(w *value) bool { return givesCode(w, letters) })
			}
			return strings.Contains(strings.ReplaceAll(systemCommands, "\n", " "), " "+base+" ")
		}
		words = words[1:]
		for len(words) > 0 && words[0].is(text) && strings.HasPrefix(words[0].text, "-") {
			words = words[1:]
		}
		words = words[min(skip, len(words)):]
	}
	return false
}

// givesCode reports whether a word may give code to an interpreter, or is not
// known.
func givesCode(w *value, letters string) bool {
	if !w.is(text) || w.unknown() || w.text == "eval" {
		return true
	}
	if strings.HasPrefix(w.text, "--") {
		return strings.HasPrefix(w.text, "--eval") || strings.HasPrefix(w.text, "--print") || strings.HasPrefix(w.text, "--run")
	}
	return strings.HasPrefix(w.text, "-") && strings.ContainsAny(w.text, letters)
}

// plainWords splits a line that a shell would only split at blanks; nil for any
// other.
func plainWords(line string, p place) []*value {
	if strings.ContainsAny(line, "|&;<>()$`\\\"'*?[]#~=%\n{}!") {
		return nil
	}
	return texts(strings.Fields(line), p)
}

// commandLine quotes words as a shell reads them.
func commandLine(words []*value) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w.is(text) {
			b.WriteString(quote(w.text))
		} else {
			b.WriteString(quote(gap))
		}
	}
	return b.String()
}

// quote writes a word for the shell. A gap stays outside single quotes, so that
// it can become a variable.
func quote(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-=:@%+,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	if !strings.Contains(s, gap) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}
