// Package roots knows, for each language, what a box's root is made of on the
// host and how its first process is started, for every back-end.
//
// It promises: a root is made when it is first asked for, and once; a language
// whose interpreter the host lacks is refused with what to install.
//
// It makes no boxes.
package roots
