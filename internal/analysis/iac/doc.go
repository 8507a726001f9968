// Package iac reads infrastructure as code: Terraform (native and JSON syntax),
// Kubernetes manifests (YAML and JSON) and Dockerfiles.
//
// The three become one tree of values with places, in which what is computed is
// either folded or marked as unknown; tables then say what a value means: code
// that runs, code from elsewhere, rights, open doors, credentials in clear,
// destruction, and the names of the systems that are acted on.
//
// It promises:
//   - [Read] is a pure function: it reads no file, resolves no module, asks no
//     peer;
//   - it is bounded: nesting, steps, facts and the size of folded texts are
//     capped, and what runs over is an error;
//   - what is not known is not left out: a value that may be one of several is
//     judged as each of them, one that cannot be folded is a fact with Unknown,
//     a kind of object that it does not know is unresolved;
//   - shell and other code that a file carries is handed on as embedded, with
//     the line where it stands.
//
// It does not know a provider's schema: it goes by the names that providers
// share. It does not judge: whether a source is approved, a name is that of a
// production system, or a port may be open is policy's business.
package iac
