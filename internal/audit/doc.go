// Package audit keeps the record: a Merkle log of what the gate did, in files
// that can be verified offline and cannot be quietly changed.
//
// # What it does
//
// Each event becomes one entry, a line of JSON that holds the event's kind, run
// and time and a commitment to its payload: SHA-256(32-byte nonce ‖ payload).
// The entries are the leaves of an RFC 6962 tree whose head is signed with
// Ed25519 after every batch (C2SP tlog-checkpoint and signed-note). A folder
// holds
//
//	journal       what was appended since the last flush: frames of entries and
//	              payloads, each with the signed head that it leads to
//	head          the newest signed head that is on stable storage
//	checkpoint    the signed head of what lies in tile/ (C2SP tlog-tiles)
//	tile/L/N      hash tiles of height 8; tile/entries/N are the entry bundles
//	payload/N     nonces and payloads of the entries of bundle N
//	lock          held by whoever writes, for the time of one batch
//
// and the keys lie elsewhere: the private key in Config.KeyFile, the public one
// beside it in log.pub. Signed heads are copied to mirrors after each run.
//
// # What it promises
//
//   - Append returns nil only when its events are in the log, in order; with
//     durable set, on stable storage. Many goroutines and many processes may
//     write to one log: it never forks and loses nothing.
//   - After a crash at any point every durable entry is there, and a torn end is
//     cut off and recorded by an entry of kind "recovered".
//   - Verify finds every change of an entry, a payload, a tile or a head that was
//     made without the private key; and, given mirrored heads, also a cut tail,
//     a deleted log, an older copy put back, and a log rewritten with the key.
//   - A payload can be forgotten (Forget) without breaking any proof; that it was
//     is itself on the record. A payload that is missing without such a record
//     is reported as tampering.
//   - A log that is gone while its key or a mirrored head is left is never
//     silently started over: see ErrGone and Create.
//
// # What it does not
//
// Without a mirror nobody can tell a log from its own past: Verify then says
// "consistent, not anchored". What was appended after the newest mirrored head
// is not anchored either. A mirror protects as far as whoever holds it: a folder
// that the writer's user can rewrite protects against mistakes and against
// whoever gets hold of the log alone, not against that user; put it under
// another account or on another machine for that. Entries are ordered by index;
// their times are the writer's clock as it was, and may go back. The folder is
// not encrypted.
package audit
