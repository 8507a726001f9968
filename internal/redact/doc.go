// Package redact makes foreign bytes safe to show: it finds secrets and the
// host's own names and paths in them, and takes away what could act on a
// terminal or hide from a reader.
//
// It promises:
//   - [Escape] is the one function through which foreign text reaches a
//     terminal. What it returns holds no control character but newline and tab,
//     no bidirectional control, no invisible character and only valid UTF-8;
//   - a [Redactor] replaces a secret of a known shape by a placeholder such as
//     [redacted:aws-access-key], also where it arrives split over many writes,
//     in bounded memory: what is held back is the unfinished beginning of one
//     candidate, never more than [MaxHeld] bytes;
//   - every function is idempotent, and a text written in pieces comes out as
//     if it had been written at once;
//   - numbers are never touched: no rule matches digits alone.
//
// It does not find every secret. Only shapes with a distinctive prefix, private
// keys, JSON web tokens, passwords in URLs and Authorization headers are looked
// for: guessing from entropy takes hashes, UUIDs and encoded data for secrets,
// and a mangled answer is worse than a miss. A program that wants to smuggle a
// secret out can encode it; what keeps secrets from programs is the sandbox,
// which holds none.
//
// Right-to-left text keeps its letters and loses its marks, and an emoji that
// is joined from several shows its joiner as \u200d: both are the price of
// leaving nothing invisible.
package redact
