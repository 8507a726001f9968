package events

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of act. Its name is part of the record's format: add, never
// rename. Refused acts are of the kind that they would have been.
type Kind uint8

// Kinds of act.
const (
	Exec    Kind = iota // a program file was executed; the detail is its arguments
	Fork                // a process was started
	Open                // a file was opened for reading
	Create              // a file, folder or link was made
	Write               // a file that was there was opened for writing, or cut
	Delete              // a file or folder was removed
	Rename              // a file or folder was renamed; the detail is its new name
	Connect             // a peer was connected or sent to
	Listen              // an address was listened on
	Syscall             // a system call that policy denies was refused
	Library             // files below the runtime's own folders were opened: a count, no names
	kinds
)

var kindNames = [kinds]string{
	"exec", "fork", "open", "create", "write", "delete", "rename", "connect", "listen", "syscall", "library",
}

// String returns the kind's name.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Phrase says what an act of this kind is, for whoever wrote the program.
func (k Kind) Phrase() string {
	phrases := [kinds]string{
		"executing a program", "starting a process", "reading a file", "making a file", "changing a file", "removing a file",
		"renaming a file", "reaching for a peer", "listening for peers", "a system call that the profile denies", "reading the runtime's own files",
	}
	if k < kinds {
		return phrases[k]
	}
	return "something"
}

// Abortable are the kinds on which policy may end a run, by name and sorted.
func Abortable() []string {
	names := slices.Clone(kindNames[:])
	names = slices.DeleteFunc(names, func(n string) bool {
		return n == Open.String() || n == Library.String() // every program does
	})
	slices.Sort(names)
	return names
}

// Aborts returns the set of the named kinds. A name that policy may not end a run
// on is an error.
func Aborts(names []string) (Set, error) {
	var s Set
	for _, name := range names {
		if !slices.Contains(Abortable(), name) {
			return 0, fmt.Errorf("abort on %.40q: want some of %s", name, strings.Join(Abortable(), ", "))
		}
		s |= setOf(Kind(slices.Index(kindNames[:], name)))
	}
	return s, nil
}

// Set is a set of kinds.
type Set uint64

func setOf(k Kind) Set { return 1 << k }

// Has reports whether a kind is in the set.
func (s Set) Has(k Kind) bool { return s&setOf(k) != 0 }
