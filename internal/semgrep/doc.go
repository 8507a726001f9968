// Package semgrep runs rules in Semgrep's form over Python programs.
//
// Load reads rule files and gives an Engine; Engine.Match says where its rules
// match in one file. Patterns are read by our own Python parser, after
// placeholders took the place of metavariables and dots, and are compared with
// the tree of the program: through imports, with constants propagated, with
// metavariables held to one value. Taint rules follow data from its sources to
// its sinks inside one function.
//
// # Promises
//
// A rule that uses something which is not supported is refused, with its ID,
// the key and the place; it is never skipped or half run. No pattern and no
// file makes the work run away: dots do not multiply, every comparison is
// counted, and a file on which the rules run over their budget is an error,
// which the caller takes for a no. Matching changes nothing in a rule or a
// tree, so an Engine may be used by many goroutines at once.
//
// # What it does not do
//
// It does not listen to `# nosemgrep`: the program is not the one to say what is
// looked at. It does not follow data from one function into another, does not apply fixes, and for other languages than Python knows only regular expressions.
package semgrep
