// Package sandbox holds what all back-ends share: the box protocol between the
// host and the harness inside a box, the caps on what a box may say, and the
// judgment of how a run ended.
//
// A back-end makes a box, hands its four pipes to [Converse], watches limits,
// and turns what was said and what was observed into a result with
// [Transcript.Result]. Sandboxtest is the suite that every back-end must pass.
//
// [Pool] keeps boxes ready, for any back-end: it gives a [Template], which makes
// boxes and parks them, and a key that holds everything that makes two templates
// differ, the tenant included.
//
// The package promises:
//   - not one byte of the program runs before the interpreter inside has
//     reported the digests of the trees that it will execute, or of the text,
//     and Job.Confirm has agreed;
//   - a status is judged from what the host observed ([Judge]), never from
//     what the guest says;
//   - whatever a guest sends is bounded, typed and counted; what is against
//     the protocol is named in the result's anomalies;
//   - a box of a pool is handed out once, and what a pool holds and makes at
//     once is bounded;
//   - names of files that a guest reports are clean relative paths, and
//     [WriteArtifacts] writes nothing outside its folder.
//
// Files that a program left are reported by the harness when the program has
// come to its end: one that the host ended leaves none, and neither does one
// that ends the harness's process, which for a Python program is its own.
//
// It does not make what a guest said fit to be shown: output, values and
// messages are foreign bytes until they are sanitized.
package sandbox
