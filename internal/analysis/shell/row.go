package shell

import (
	"slices"
	"strings"
	"sync"

	"palisade"
)

// A row of a table says what a command lends to a program. It is one line, read
// when the command is first met:
//
//	name,alias   word…
//
// where a word is one of
//
//	r            the next operand is a path that is read; the letters are below
//	r*           so are all the operands that remain
//	w$           the last operand, if there are two
//	.r           without operands, the working directory
//	-o=w         the option -o takes a value, which is a path that is written
//	-n=          the option -n takes a value that touches nothing
//	-a==r        this one takes two, a name and a path that is read
//	-e=s^        this one is code, and stands in for the first operand
//	-i>w         with this option, all the operands are written
//	-i?          the option may have a value attached to it
//	+kill        the command as such is the capability kill
//	|            it prints lines of what it reads
//	!            it starts no process: a part of the shell
//	@name        the rest is for the function of that name (special.go)
type row struct {
	first            []byte // roles of the first operands
	rest, last, none byte
	options          map[string]option
	capabilities     []palisade.Capability
	filter, pure     bool
	special          string
}

// option is one that takes a value or changes the operands.
type option struct {
	role     byte // of the value; 0: there is none
	frees    bool // stands in for the first operand
	changes  byte // the role of all operands
	attached bool // the value, if there is one, is attached
	pair     bool // a name stands before the value
}

// The roles of operands and values.
const (
	roleNothing    = '_'
	roleRead       = 'r'
	roleWrite      = 'w'
	roleBoth       = 'b' // read and written
	roleDelete     = 'd'
	rolePeer       = 'p' // host, host:port or URL
	roleListen     = 'l'
	roleKill       = 'k'
	roleInstall    = 'i'
	rolePrivilege  = 'v'
	roleShell      = 's' // shell code
	roleCommand    = 'x' // a command line, from here on
	roleFile       = 'f' // a file that is run
	roleName       = 'n' // an environment variable
	roleCredential = 'c' // a password or user:password
	roleEffect     = 'e' // changes the state of the system
	roleInfo       = 'y' // tells of the system
	roleDestroy    = 'D'
	roleNative     = 'N' // native code that is loaded
)

func tables() []string {
	return []string{commandsText, commandsFiles, commandsSystem, commandsNetwork, commandsPackages, commandsCode, commandsRun}
}

// lines finds the line of a command in the tables.
var lines = newLines()

func newLines() func() map[string]string { return sync.OnceValue(readTables) }

func readTables() map[string]string {
	out := map[string]string{}
	for _, table := range tables() {
		for line := range strings.SplitSeq(table, "\n") {
			names, words, _ := strings.Cut(strings.TrimSpace(line), " ")
			for name := range strings.SplitSeq(names, ",") {
				if name != "" {
					out[name] = words
				}
			}
		}
	}
	return out
}

// commandNames are the commands that the tables know.
var commandNames = sync.OnceValue(func() []string {
	var out []string
	for name := range lines() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
})

// isCommand reports whether a name is a command or a part of the shell.
func isCommand(name string) bool {
	_, ok := lines()[name]
	return ok || builtin(name) != nil
}

// command gives the row of a command.
func command(name string) (row, bool) {
	line, ok := lines()[name]
	if !ok {
		// python3.11, gcc-12, ruby2.7: a version behind a name
		base := strings.TrimRight(name, "0123456789.-")
		if line, ok = lines()[base]; !ok || base == name {
			return row{}, false
		}
	}
	return parseRow(line), true
}

// parseRow reads a line of a table.
func parseRow(line string) row {
	r := row{rest: roleNothing, options: map[string]option{}}
	for word := range strings.FieldsSeq(line) {
		switch {
		case word == "|":
			r.filter = true
		case word == "!":
			r.pure = true
		case word[0] == '+':
			r.capabilities = append(r.capabilities, palisade.Capability(word[1:]))
		case word[0] == '@':
			r.special = word[1:]
		case word[0] == '-':
			name, o := parseOption(word)
			r.options[name] = o
		case word[0] == '.' && len(word) == 2:
			r.none = word[1]
		case strings.HasSuffix(word, "*"):
			r.rest = word[0]
		case strings.HasSuffix(word, "$"):
			r.last = word[0]
		default:
			r.first = append(r.first, word[0])
		}
	}
	return r
}

func parseOption(word string) (string, option) {
	var o option
	if name, change, ok := strings.Cut(word, ">"); ok {
		word, o.changes = name, change[0]
	}
	if name, ok := strings.CutSuffix(word, "?"); ok {
		word, o.attached = name, true
	}
	if name, role, ok := strings.Cut(word, "="); ok {
		o.role = roleNothing
		role, o.pair = strings.CutPrefix(role, "=")
		if role != "" {
			o.role = role[0]
		}
		o.frees = strings.HasSuffix(role, "^")
		word = name
	}
	return word, o
}
