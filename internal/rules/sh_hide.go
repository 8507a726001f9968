package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "sh-hidden", Title: "Hides what it runs", Severity: palisade.High, Capability: palisade.CapObfuscation, CWE: 506,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindComputed },
	Says:        "hides what it runs",
	Description: "The name of a command, or code that is run, is written in an encoded form or as a pattern.",
	Remedy:      "Write the command plainly.",
	Bad: []string{
		"echo aWQ= | base64 -d | sh", "$'\\x6c\\x73'", "/b?n/l?", "eval $(echo 736c | xxd -r -p | rev)", "bash -c \"$(printf '\\x6c\\x73')\"",
		"echo sl | rev | bash", "echo vq | tr a-z n-za-m | sh", "base64 -d <<< aWQ= | bash",
	},
	Good: []string{"echo aWQ= | base64 -d", "ls", "printf '\\x41'", "ls *.txt", "sh -c ls"},
})

var _ = add(Rule{
	ID: "sh-shadow", Title: "Changes what other commands do", Severity: palisade.High, Capability: palisade.CapObfuscation, CWE: 427,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindShadow },
	Says:        "changes what other commands do",
	Description: "An alias, a function, a variable or a setting makes a command do something else than its name says.",
	Remedy:      "Write what is to be run where it is run.",
	Bad: []string{
		"alias ls='rm x'", "typeset -x PAGER='rm x'; git log", "ls() { rm x; }", "PATH=/tmp:$PATH", "export BASH_ENV=x", "shopt -s expand_aliases",
		"PROMPT_COMMAND='rm x'", "GIT_SSH_COMMAND='rm x' git fetch", "git -c core.pager='rm x' log", "command_not_found_handle() { rm x; }", "hash -p /tmp/x ls",
		"env PYTHONSTARTUP=x python3 -c 1", "declare -x PS4='$(id)'", "set -o posix",
	},
	Good: []string{"greet() { echo; }", "PATH=$PATH:/usr/local/bin", "PAGER=cat git log", "export LANG=C", "unalias -a", "x=1"},
})

var _ = add(Rule{
	ID: "sh-poisoned-library", Title: "Changes which libraries commands load", Severity: palisade.Critical, Capability: palisade.CapNative, CWE: 426,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindShadow },
	Says:        "changes which native code commands load",
	Description: "The loader runs the code of a library that such a variable names in every command that follows.",
	Remedy:      "Use what is installed.",
	Bad:         []string{"LD_PRELOAD=/tmp/x.so ls", "export LD_LIBRARY_PATH=/tmp", "env LD_AUDIT=x.so id", "export $(echo LD_PRELOAD)=/tmp/x.so"},
	Good:        []string{"echo LD_PRELOAD", "LD_PRELOAD= ls"},
})

var _ = add(Rule{
	ID: "sh-native", Title: "Loads native code", Severity: palisade.High, Capability: palisade.CapNative, CWE: 114,
	Says:        "could load native code",
	Description: "Native code is loaded into a command or the kernel, where nothing can read it.",
	Remedy:      "Use what is installed.",
	Bad:         []string{"enable -f ./x.so x", "insmod x.ko", "openssl engine ./x.so", "gcc -fplugin=./x.so a.c"},
	Good:        []string{"ls x.so", "gcc a.c"},
})
