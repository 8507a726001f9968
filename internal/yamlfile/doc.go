// Package yamlfile reads one strict YAML file that an owner wrote, such as a
// policy or a configuration.
//
// It promises:
//   - every node keeps its place, so that every complaint has a line, a column
//     and the path of keys that leads to it, and says what to do;
//   - unknown keys and duplicate keys are errors, never ignored;
//   - reading is bounded: file size, line length, nesting and the number of
//     tokens are capped before the parser sees the text;
//   - there is one way to write a thing: anchors, aliases, merge keys, tags,
//     directives and more than one document are refused.
//
// It does not guess types: a scalar is its text, and whoever reads it says what
// it must be. So `no`, `1e3` and `012` never turn into something else.
package yamlfile
