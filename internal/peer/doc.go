// Package peer says which network peers a text stands for: the patterns of
// policy files, the spellings of addresses, and the one strict form in which
// the way out of a box takes them.
//
// Reading is generous and the way out is strict. [Address], [Split] and
// [Pattern.Match] find a peer behind any spelling that some resolver accepts,
// so that a deny list holds for all of them. [ParseAuthority] takes nothing but
// the plain spelling, so that what is judged is what is reached. [Forbidden] is
// the list of addresses that no run reaches, whatever policy says.
//
// It does not resolve names and opens nothing.
package peer
