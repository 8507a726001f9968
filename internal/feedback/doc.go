// Package feedback turns the result of a run into what a model or a user may
// see: safe text, a generic reason, and a way forward.
//
// It promises:
//   - what it returns is bounded, and redact.Escape leaves it as it is;
//   - secrets of known shape and the host's names and paths are gone before a
//     text is cut, and no part of one remains where it was cut;
//   - what the program wrote stands inside [Feedback.Text] between two marks
//     with a nonce that the program cannot know, and marks that imitate them
//     are defaced;
//   - what the program says of itself never changes the type, which is the
//     status that the host judged; an exception's message is passed on only
//     where policy trusts it, where it stands in the program as it is, or where
//     it is one of the interpreter's own sentences about names that do;
//   - the evidence behind a finding is never told.
//
// It does not detect instructions in what a program wrote, and does not promise
// that a model resists them: it says what is data. Full detail stays on the
// record.
//
// [Feedback.Text]: palisade.Feedback
package feedback
