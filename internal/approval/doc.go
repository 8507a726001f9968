// Package approval puts questions to humans and holds them to their answers.
//
// When policy asks, the gate calls [Queue.Take]: a question is recorded, and the
// run ends with its ticket. A human reads it ([Queue.List], [Question.Text]) and
// answers ([Queue.Answer]); the same submission, run again, consumes the answer.
// The state is a fold over the audit log's events asked, answered and consumed,
// and nothing else: it survives a restart, and what is not on the record did
// not happen.
//
// It promises:
//   - an answer holds for one [Binding]: the digest over everything that
//     decides what would run and under which rules;
//   - a granted answer is used once, by whichever process appends its
//     consumption first under the log's lock;
//   - questions and answers expire; a denial stands until it does;
//   - whoever asked does not approve, unless the owner's configuration says so,
//     which the approval then shows;
//   - all foreign text that is shown passes through the injected escape.
//
// It does not authenticate: identities come from the door or the operating
// system. And it cannot hold someone who can write the log's files and read its
// key: keep the state of a gate out of reach of the users whose programs it
// judges.
package approval
