// Package httpapi is the door over HTTP: a REST interface below /v1 that is
// described by an OpenAPI 3.1 document made from the code.
//
// # What it does
//
// It authenticates a request, holds it to the caller's roles, hands submissions
// to the gate, and shows what the record's index and the record say: runs,
// questions, entries, keys, the brake. One file holds one resource.
//
// # What it promises
//
//   - Nothing is read of a request beyond its headers before its caller is known;
//     bodies, rates, queues and concurrent runs are bounded, for each tenant too.
//   - What belongs to another tenant is not there: 404, never 403.
//   - An answer that is not the caller's own text holds no host path, stack trace
//     or secret. Errors have one form, {code, message, run?, may_have_run}.
//   - Equal requests under one Idempotency-Key run once, and every asker gets that
//     one outcome; another request under the key is refused.
//   - A caller who hangs up is still recorded. A server that stops takes nothing
//     new and ends what runs, within a bound, on the record.
//   - Pages that load it in a browser get nothing to run, embed or share.
//
// # What it does not
//
// It decides nothing about a program: that is the gate's. It is no place for
// people: those get pages of their own.
package httpapi
