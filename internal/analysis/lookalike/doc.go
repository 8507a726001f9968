// Package lookalike finds names of packages that look like a well-known
// package's and are not it: what is installed or imported by mistake, or by a
// model that made a name up, and what attackers therefore register.
//
// Known and well-known names are data, python.txt and npm.txt, made from
// Debian's archive by tools/wellknown (their headers say of which day), and a
// list of popular packages that Debian does not carry. A known name is never a
// look-alike.
//
// It does not know whether a package of some name exists, or is malicious.
package lookalike
