// Package events holds what was seen to happen in a box: the kinds of act, a
// bounded recorder that the box's kernel writes to, and how the host reads it.
//
// The recorder writes into a region of memory of [Size] bytes, which for a box
// under gVisor is a file that its kernel and the host share, and for a back-end
// that observes from outside is memory of its own. Equal acts are one entry with
// a count. Each kind has room of its own, so that a program that makes a million
// files cannot hide a connection; what finds no room is counted.
//
// The package promises:
//   - what a region holds is bounded, whatever a program does: [Size] bytes, and
//     names of at most [MaxWhat] and [MaxDetail] bytes;
//   - every act counts in [palisade.Activity.Counts], and one that is not listed
//     also in Dropped: none is lost silently;
//   - [Read] takes any bytes: a region is written by a kernel that a program may
//     have broken, and nothing in it is trusted beyond its bounds.
//
// What names hold is the program's own word, and is foreign until it is
// sanitized. The summary that a caller sees is made in package feedback.
package events
