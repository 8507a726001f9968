// Package incident is the emergency brake: lockdown, kill, and the cut of every
// way out.
//
// Its state is a small folder in the state folder, so that every gate that works
// on it, in whatever process, sees it at once: what is switched ([State]), who is
// to be ended (requests), and what runs (one locked file for each run). [Folder]
// is the side of whoever pulls the brake; [Brake] is the gate's: it wraps the
// gate's sandbox and its recorder.
//
// It promises:
//   - nothing starts in a lockdown: a run is asked about when it comes in and
//     once more after its start is on the record, with nothing between that and
//     its first byte but the word go;
//   - a lockdown, or a request to kill, reaches a running box within [Poll], and
//     the run ends as killed, or refused where it had not begun, with who, when
//     and why in its result;
//   - doubt means no: a state that is missing, damaged, or somebody else's is a
//     lockdown, and a request that cannot be read is one to end everything;
//   - a state that cannot be written is removed, which is a lockdown too.
//
// It authenticates nobody: whoever may write the folder, its owner and root, may
// pull the brake. It ends boxes through the gate that owns them; where that gate
// does not move, [Folder.Wait] says so and names its process.
package incident
