// Package store is the index of the audit log: what doors ask about runs,
// questions, keys and claims, in a database that can be thrown away.
//
// # What it does
//
// [Store.Sync] applies the log's entries, in order and once each, to a database:
// SQLite in a file by default, PostgreSQL where the configuration names one. The
// rows are a fold over the log and nothing else; which entries are in it stands
// beside them. Queries take the caller and answer within what that caller may
// see. [Store.Claim] makes equal requests under one idempotency key run once.
//
// # What it promises
//
//   - Nothing that was submitted, printed or answered in words is in the
//     database: no code, prompt, input, output, comment or idempotency key. It
//     holds names, identities, times, decisions, and hashes of secrets.
//   - No query without a caller; what a caller may not see is not there for them.
//     Roles hold within a tenant. Those that a key of the operator's tenant,
//     system, has to read, approve and administer hold in every one.
//   - Pages are by the log's order: what is added later moves nothing on them.
//   - [Store.Rebuild] makes the same rows from the log alone, and says whether
//     they are the ones that were there.
//   - A log that is not the one that was indexed, is shorter, or has another
//     history is refused: see [ErrOtherLog] and [ErrHistory].
//
// # What it does not
//
// It is no evidence: whoever can write to the database can make it say that a
// key is good. Give its file, or its PostgreSQL role, to the gate alone; a
// rebuild takes back what was changed. One database indexes one log.
package store
