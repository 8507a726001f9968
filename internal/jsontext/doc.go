// Package jsontext looks at JSON before it is decoded.
//
// It promises to find what encoding/json would take with other text than was sent,
// for whoever judges a text that must be the one that runs. It decodes nothing.
package jsontext
