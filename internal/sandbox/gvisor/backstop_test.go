package gvisor

import (
	"testing"
	"time"

	"palisade"
)

// Whatever becomes of the watch and of the launcher, time ends a box.
func TestBackstop(t *testing.T) {
	s := newSandbox(t)
	s.blind = true
	for name, c := range map[string]struct {
		src    string
		status palisade.Status
	}{
		"busy":          {"while True: pass", palisade.WallLimit},
		"idle":          {"import time; time.sleep(600)", palisade.WallLimit},
		"pipes closed":  {"import os, time; os.closerange(0, 1024); time.sleep(600)", palisade.WallLimit},
		"many":          {"import os, time\nfor _ in range(5): os.fork()\ntime.sleep(600)", palisade.WallLimit},
		"output passed": {"while True: print('x' * 4096)", palisade.OutputLimit},
	} {
		t.Run(name, func(t *testing.T) {
			job := code(c.src)
			job.Limits = limits()
			job.Limits.CPU, job.Limits.Wall = time.Second, 2*time.Second
			began := time.Now()
			r := runJob(t, s, job)
			if r.Status != c.status || r.Usage.Wall > job.Limits.Wall+wallGrace+2*time.Second {
				t.Errorf("status %q after %v on the clock, %v in all: %s", r.Status, r.Usage.Wall, time.Since(began), r.Reason)
			}
		})
	}
}
