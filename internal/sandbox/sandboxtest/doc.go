// Package sandboxtest is the suite that every back-end must pass.
//
// [Run] drives each case through a real [palisade.Gate], since nothing else can
// make a permit, with parts that let everything pass: what holds a program here
// is the sandbox alone. The cases are what a program may rely on in each language
// (basics, shell, javascript), what it must not get (the corpus in
// testdata/escapes: every program says in its header what it tries and what must
// happen), what two runs must not learn of each other, and what a program must
// not achieve by speaking the box protocol itself.
//
// [RunRedCode] forces a corpus of hostile programs through a sandbox and checks
// that the host is as it was.
//
// It is linked by tests only.
package sandboxtest
