// Package analysis holds the words that the readers of each language share: a
// [Fact] is one thing that a program could do to the world, with its place and,
// where it could be resolved, what it would do it to.
//
// A reader promises never to execute the program, never to open a file or a
// socket, and to stay inside a budget of steps. What it cannot resolve it says
// so: a Fact with the capability unresolved, or with Unknown set. It does not
// judge: policy does.
package analysis
