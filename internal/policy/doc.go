// Package policy turns policy files into a pure function from a case to a
// verdict.
//
// A policy file is strict YAML with profiles (see profiles/data.yaml, which is
// both a built-in profile and the commented reference). A profile names what a
// program may use; what it does not name is denied, and deny beats ask beats
// allow. [Load] reads the built-in profiles and the owner's files into a [Set],
// which decides, shows, and explains which line decides what.
//
// It promises:
//   - more findings never loosen a verdict; conditions are held to that when
//     they are compiled, see [Condition];
//   - code that could not be read whole (unparsable, analysis_failed,
//     oversized), a capability that this version does not know, and a case
//     without a judged tree are denied in every profile, by rules that no file
//     can loosen;
//   - a line about a rule that there is not is refused, where it is known which
//     rules there are: a ban that is misspelled would be none;
//   - who may name which profile is fixed by [Callers], never by a submission;
//     a submission may lower limits, never raise them;
//   - a verdict names the line of policy that made it, and its digest covers
//     everything that is in effect.
//
// It does not read code, and it does not bound what a program can do: the
// sandbox does, with the limits, layers and denied system calls that the
// verdict carries.
package policy
