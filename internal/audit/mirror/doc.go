// Package mirror copies the signed heads of an audit log to a second place, and
// reads such copies back.
//
// # What it does
//
// A head goes to a Folder (one append-only file for each log), to the system log
// (Syslog) or to a program's standard input (Command). A copy is one line:
//
//	{"time":"2026-01-02T15:04:05Z","head":"<the signed head, as a JSON string>"}
//
// Parse finds such lines in any text, behind whatever a log daemon puts before
// them, and also takes signed heads as they are.
//
// # What it promises
//
// Put returns nil only when the copy was taken: synced to disk, accepted by the
// log daemon, or the command exited with 0 in time. Nothing read here is
// believed: the audit package checks every signature.
//
// # What it does not
//
// A mirror is worth what its keeper is worth. Whoever can rewrite both the log
// with its key and the mirror can rewrite history; so keep the mirror under
// another account, on another machine, or on paper. A folder can itself be rolled
// back by whoever may write to it. A system log may drop what it accepted.
package mirror
