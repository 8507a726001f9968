// Package perlre matches Perl's regular expressions that Go's own cannot:
// with look-around, back-references, atomic groups and possessive quantifiers.
//
// It promises that the work is bounded: a search counts its steps with the
// caller, who ends it; its memory is bounded by the text and a cap on what it
// may go back to. An expression that it does not know is an error, never read
// as another.
//
// It does not know recursion, conditions, callouts, \Q…\E, \G, \K, \X and
// Unicode properties. Letters, digits and spaces are those of ASCII, as in PCRE
// without its Unicode option. Source: pcre2pattern(3).
package perlre
