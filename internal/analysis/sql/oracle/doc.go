// Package oracle holds nothing but tests: the servers' own parsers judge the
// reader of SQL. It is apart from the reader, so that fuzzing the reader does
// not instrument the parsers, which takes minutes.
//
// Each parser says what a text does. Where it takes a text that the reader
// calls reading, it must know of nothing more; docs/adr/0007 has the figures.
package oracle
