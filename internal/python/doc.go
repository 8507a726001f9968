// Package python reads Python programs: it normalizes their bytes, parses them
// into the tree that CPython's ast module would give, and digests that tree.
package python
