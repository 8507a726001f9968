package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "sh-process", Title: "Runs a command", Severity: palisade.Low, Capability: palisade.CapProcess, CWE: 78,
	Says:        "could run a command",
	Description: "Each command of a shell program is another program that is started.",
	Remedy:      "Nothing, where the command itself is allowed.",
	Bad:         []string{"ls", "x=ls; $x -l", "find . -exec wc -l {} +", "env A=1 nice sort f", "eval 'cat f'"},
	Good:        []string{"echo hello", "cd /tmp; pwd", "x=$((1 + 2)); [[ $x -gt 2 ]]", "echo rm -rf /"},
})

var _ = add(Rule{
	ID: "sh-unknown-command", Title: "Runs a command that no table knows", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 78,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindName },
	Says:        "could run a command of which nothing is known",
	Description: "What a command does with its arguments stands in tables. For one that is not in them, only the sandbox bounds what it does.",
	Remedy:      "Use a common command, or ask that this one be added to the tables.",
	Bad:         []string{"frobnicate --all", "git frob", "sudo frobnicate"},
	Good:        []string{"frobnicate() { echo; }; frobnicate", "ls", "git status"},
})

var _ = add(Rule{
	ID: "sh-computed-command", Title: "Runs something that it computes", Severity: palisade.High, Capability: palisade.CapUnresolved, CWE: 78,
	Says:        "could run something that is not in its text",
	Description: "The command or its code is made at run time from what is not known, so it cannot be read before it runs.",
	Remedy:      "Write the command itself. Choose with case where there are several.",
	Bad: []string{
		"$(cat f) -rf x", "eval \"$(cat f)\"", "read -r x; bash -c \"$x\"", "perl -e 'unlink glob q(*)'", "sort f | sh",
		"awk '{ system($1) }' f", "sed 's/a/b/e' f", "trap \"$(cat f)\" EXIT", "xargs sh -c < f",
	},
	Good: []string{"x=ls; $x", "eval 'ls -l'", "bash -c 'ls'", "awk '{ print $1 }' f", "sed 's/a/b/' f"},
})

var _ = add(Rule{
	ID: "sh-eval", Title: "Runs text as code", Severity: palisade.Low, Capability: palisade.CapEvaluate, CWE: 95,
	Says:        "could run text in another language",
	Description: "An interpreter or an editor runs a program that stands inside the shell program.",
	Remedy:      "Submit the program in its own language.",
	Bad:         []string{"python3 -c 'print(1)'", "python3 s.py", "node -e '1'", "vim -c ':q' f"},
	Good:        []string{"cat s.py", "echo 'print(1)'"},
})

var _ = add(Rule{
	ID: "sh-eval-computed", Title: "Runs text that it computes", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 95,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindComputed },
	Says:        "could run text that is not wholly known",
	Description: "Text that is made at run time is run as code, so it cannot be read before it runs.",
	Remedy:      "Write the command itself.",
	Bad:         []string{"eval \"$(cat f)\"", "bash -c \"$(< f)\"", "read -r x; python3 -c \"$x\"", "cat f | bash"},
	Good:        []string{"eval 'ls'", "bash -c 'ls'", "python3 -c 'print(1)'", "cat f | sort"},
})

var _ = add(Rule{
	ID: "sh-arithmetic", Title: "Evaluates a value from outside", Severity: palisade.Medium, Capability: palisade.CapEvaluate, CWE: 95,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindText },
	Says:        "could run what a number holds",
	Description: "The shell evaluates a value as arithmetic or as the name of a variable; a subscript in it, as in a[$(command)], runs commands.",
	Remedy:      "Check that the value is a number first, as with [[ $x =~ ^[0-9]+$ ]], and use [ instead of (( )).",
	Bad:         []string{"read -r x; (( x > 1 ))", "x=$(cat f); [[ $x -eq 1 ]]", "read -r n; [[ -v $n ]]"},
	Good:        []string{"x=5; (( x > 1 ))", "read -r x; [ \"$x\" = 1 ]"},
})
