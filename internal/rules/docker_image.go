package rules

import (
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// imageUsers is the argument of facts about who is who in an image.
const imageUsers = "users of the image"

var _ = add(Rule{
	ID: "docker-users", Title: "Makes users and owners of an image", Severity: palisade.Low, Capability: palisade.CapPrivilege, CWE: 250,
	Match:       func(f analysis.Fact) bool { return f.Argument == imageUsers },
	Says:        "makes users or owners of the image",
	Description: "A user of its own for what the container runs is what one should make; nobody gains rights by it outside the image.",
	Remedy:      "Nothing, if USER names the user.",
	Bad:         []string{"FROM a.example/b:1\nRUN useradd -m app && chown -R app:app /srv\nUSER app", "FROM a.example/b:1\nRUN addgroup -S app && adduser -S -G app app"},
	Good:        []string{"FROM a.example/b:1\nRUN useradd -o -u 0 app", "FROM a.example/b:1\nRUN adduser app sudo", "FROM a.example/b:1\nRUN chmod u+s /bin/sh", "FROM a.example/b:1\nCMD useradd app"},
})

// builds reports whether a program inside another one is run while an image is
// built.
func (r *reading) builds(e analysis.Embedded) bool {
	return r.language == palisade.Dockerfile && (e.Via == "RUN" || strings.HasPrefix(e.Via, "RUN,"))
}

// inImage is what a fact is that happens in the image alone.
func inImage(f analysis.Fact) analysis.Fact {
	f.Image = true
	if f.Capability == palisade.CapPrivilege && !f.Unknown && makesUsers(f) {
		f.Language, f.Argument = palisade.Dockerfile, imageUsers
	}
	return f
}

// ofImage reports whether a fact says no more than that a program in a language
// that is read is run, or a module that comes with the image: what the program
// does is told by facts of its own, and so is the image.
func ofImage(f analysis.Fact, via string) bool {
	switch {
	case f.Language != palisade.Shell:
	case f.Capability == palisade.CapEvaluate:
		return f.Kind == analysis.KindUse && !f.Unknown && (strings.HasPrefix(f.Symbol, "python") || strings.HasPrefix(f.Symbol, "node"))
	case f.Capability == palisade.CapUnresolved:
		return f.Symbol == "python -m" && f.Argument != "" && (via == "CMD" || via == "ENTRYPOINT" || via == "HEALTHCHECK")
	}
	return false
}

// userCommands make users, groups and owners.
var userCommands = []string{"useradd", "adduser", "usermod", "groupadd", "addgroup", "groupmod", "chown", "chgrp"}

// powerful are words that make a user as good as root: its number, a number that
// may be given twice, the groups that may become root, and passwords. Source:
// useradd(8), usermod(8), BusyBox' adduser, and Debian's list of system groups.
var powerful = []string{
	"0", "-o", "--non-unique", "-p", "--password", "root", "sudo", "wheel", "admin", "docker", "lxd", "libvirt", "shadow", "disk", "kmem", "staff",
}

// makesUsers reports whether a command line makes nothing but ordinary users,
// groups and owners. Files may be root's.
func makesUsers(f analysis.Fact) bool {
	if !slices.Contains(userCommands, f.Symbol) {
		return false
	}
	if strings.HasPrefix(f.Symbol, "ch") {
		return true
	}
	for _, word := range strings.FieldsFunc(f.Argument, func(r rune) bool { return strings.ContainsRune(" =,:'\"", r) }) {
		short := len(word) > 2 && word[0] == '-' && word[1] != '-'
		if slices.Contains(powerful, word) || short && (strings.ContainsAny(word, "op") || strings.HasSuffix(word, "u0") || strings.HasSuffix(word, "g0")) {
			return false
		}
	}
	return true
}
