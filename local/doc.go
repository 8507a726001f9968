// Package local wires a gate from its real parts, for the palisade command and
// for any Go program.
//
// A program that embeds it calls [Hook] first thing in main, since sandboxes are
// made by re-executing the program itself, and then [Open]:
//
//	func main() {
//		local.Hook()
//		gate, err := local.Open(ctx, local.Config{})
//		…
//		outcome, err := gate.Run(ctx, palisade.Submission{…})
//	}
//
// It promises that nothing starts when a part is missing: no log, no policy, no
// sandbox means an error from Open, never a weaker gate. The program must be
// built with CGO_ENABLED=0; Open says so if it is not.
//
// It does not open a network port, read the environment beyond PALISADE_*
// variables, or change the calling process beyond what gVisor needs.
package local
