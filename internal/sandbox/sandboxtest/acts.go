package sandboxtest

import (
	"slices"
	"testing"

	"palisade"
)

// acts: a back-end that reports the layer events as the kernel's tells what a
// program does, and ends a run on what policy says.
func (s *suite) acts(t *testing.T) {
	if s.Layers["events"] != "kernel" {
		t.Skip("it does not tell of acts")
	}
	const program = `
import os, socket
open('made', 'w').write('x' * 100)
os.unlink('made')
if os.fork() == 0:
    os.execv('/usr/bin/python3', ['python3', '-c', 'pass'])
os.wait()
for peer in ('10.9.8.7', 80), ('10.9.8.7', 80):
    try: socket.create_connection(peer, 1)
    except OSError: pass
try: os.chroot('/')
except OSError: pass
`
	r := s.do(t, call{sub: palisade.Submission{Program: source(program)}, limits: palisade.Limits{Processes: 32}})
	want(t, r, palisade.OK)
	for _, w := range []palisade.Act{
		{Kind: "create", What: "/work/made"},
		{Kind: "delete", What: "/work/made"},
		{Kind: "fork"},
		{Kind: "exec", What: "/usr/bin/python3"},
		{Kind: "connect", What: "10.9.8.7:80", Refused: true, Count: 2},
		{Kind: "syscall", What: "chroot", Refused: true},
	} {
		if !slices.ContainsFunc(r.Activity.Acts, func(a palisade.Act) bool {
			return a.Kind == w.Kind && a.What == w.What && a.Refused == w.Refused && a.Count == w.Count
		}) {
			t.Errorf("nothing of %+v in %+v", w, r.Activity)
		}
	}
	if r.Usage.Processes != 2 || r.Usage.DiskWritten < 100 {
		t.Errorf("usage %+v", r.Usage)
	}
	for _, kind := range []string{"exec", "connect"} {
		r := s.do(t, call{sub: palisade.Submission{Program: source(program, "print('AFTER')")}, abort: []string{kind}})
		want(t, r, palisade.Aborted)
		if stdout(r) != "" || r.Activity.Counts[kind] != 1 {
			t.Errorf("abort on %s: said %q, %v", kind, stdout(r), r.Activity.Counts)
		}
	}
}
