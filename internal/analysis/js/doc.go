// Package js says what a JavaScript or TypeScript program could do under
// Node.js, and gives the text that runs in its place.
//
// esbuild prints the program as plain JavaScript: without types and most
// comments, with escapes decoded, for a fixed target, in ASCII but for the
// comments that it keeps inside expressions. That text is judged and
// is what runs ([palisade/internal/analysis.Reading].Canonical). A second
// parser makes its tree, and the tree is compared with the text: every name and
// literal of the one must be the next of the other. The tree is interpreted
// over sets of values (a module or a part of it, a string, a function of the
// program, an object), without an order of events, until nothing new appears.
//
// A canonical text that has an import or export statement runs as an ECMAScript
// module; any other one as a CommonJS script. A program that await outside a
// function makes a module is given an empty export for that. Either kind finds
// require, module, exports, __filename and __dirname.
//
// It promises:
//   - what is imported or required is a fact; every use of a row of effects_*.go
//     gives its capability, with what it is used on, however it is reached:
//     aliases, patterns, closures, classes, promises, generators, proxies,
//     computed and decoded names, call, apply, bind and Reflect;
//   - Function is found from any value whose constructor is a function, and
//     what runs text is a fact whether or not the text is known; text that is
//     known is handed on to be read;
//   - a name, module or path that is not known is a fact of its own;
//   - it ends: nesting, steps, passes and facts are bounded, and what runs over
//     is an error.
//
// It relies on this: nothing dangerous can be had without being named
// somewhere, so a value that is not tracked has no effect of its own. It does
// not decide, and it is not a proof: the sandbox is built as if it had failed.
package js
