// Package auth tells who asks, and what they may.
//
// # What it does
//
// Programs and services come with a key, pal_<id>_<secret>: [Keys] makes,
// rotates and revokes them and finds the [Caller] behind one. People come by
// their organization's own login, [OIDC] (authorization code with PKCE), and
// have a [Sessions] cookie then. Both lead to the same four roles. There are no
// passwords.
//
// # Roles and tenants
//
// A caller belongs to one tenant and has roles in it:
//
//	submitter  submits programs; sees and cancels what they submitted
//	approver   sees the tenant's questions and the runs that they are about, and answers
//	auditor    sees all runs, questions and events of the tenant
//	admin      sees the same; makes, rotates and revokes the tenant's keys; stops its runs
//
// The tenant system is the operator's: approver, auditor and admin hold in every
// tenant when they are held there; submitter does not. Only the operator's admins
// end all keys at once.
//
// # What it promises
//
//   - Of a secret of 256 random bits only its SHA-256 is kept, and it is compared
//     in constant time. A token is told once, when it is made.
//   - What changes keys is durably on the audit log, and in the index that
//     requests are held to, before the call says that it is done: a revoked key's
//     next request fails, in every process, also after a restart or a rebuild.
//   - Nobody hands out more than they have: keys are made by admins of their
//     tenant, with no profile that the maker may not name and, where the maker's
//     own key ends, with no later end. Rotation keeps a key's identity, so that
//     it cannot answer its own questions; a secret that was replaced rotates nothing.
//   - A cookie is sealed (AES-256-GCM), HttpOnly, Secure, SameSite=Lax and short;
//     requests that change something are not taken from other sites.
//   - Every refusal looks the same from outside, and takes the same time, but to
//     whoever has the right secret of a key that ended: they are told so.
//
// # What it does not
//
// It does not limit how often someone tries: 256 bits need no such help, and
// doors limit all requests. It does not know what a role may do at a door beyond
// what is said here, and it trusts the index: see package store.
package auth
