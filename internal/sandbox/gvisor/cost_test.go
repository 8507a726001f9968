package gvisor

import (
	"slices"
	"testing"
	"time"

	"palisade"
)

// BenchmarkTelling compares runs of the same program with acts told and not, in
// turns: what counts is the ratio of the medians of CPU time.
func BenchmarkTelling(b *testing.B) {
	told := newSandbox(b)
	deaf := newSandbox(b)
	deaf.deaf = true
	for name, src := range map[string]string{
		"pass":           "pass\n",
		"2000 opens":     "import os\nfor i in range(2000): os.close(os.open('/dev/null', os.O_RDONLY))\n",
		"2000 files":     "import os\nfor i in range(900): open(f'/work/{i}', 'w').close()\nfor i in range(900): open(f'/work/{i}').close()\nfor i in range(200): os.unlink(f'/work/{i}')\n",
		"2000 of one's":  "for i in range(2000): open('/work/f', 'w').close()\n",
		"2000 refusals":  "import socket\nfor i in range(2000):\n    try: socket.socket()\n    except OSError: pass\n",
		"20000 writes":   "f = open('/work/f', 'wb', 0)\nfor i in range(20000): f.write(b'x')\n",
		"20000 getpid":   "import os\nfor i in range(20000): os.getppid()\n",
		"import decimal": "import decimal, json, datetime, csv, statistics\n",
	} {
		b.Run(name, func(b *testing.B) {
			var with, without []time.Duration
			job := code(src)
			job.DeniedSyscalls = []string{"exec", "fork", "socket"}
			for b.Loop() {
				for _, s := range []*Sandbox{told, deaf} {
					r := runJob(b, s, job)
					if r.Status != palisade.OK {
						b.Fatalf("%s: %s", r.Status, r.Stderr.Head)
					}
					if s == told {
						with = append(with, r.Usage.CPU)
					} else {
						without = append(without, r.Usage.CPU)
					}
				}
			}
			slices.Sort(with)
			slices.Sort(without)
			mid := len(with) / 2
			b.ReportMetric(float64(with[mid].Microseconds())/1000, "told-cpu-ms")
			b.ReportMetric(float64(without[mid].Microseconds())/1000, "deaf-cpu-ms")
			b.ReportMetric(float64(with[mid])/float64(without[mid]), "x")
			b.ReportMetric(float64(with[0].Microseconds())/1000, "told-min-ms")
			b.ReportMetric(float64(without[0].Microseconds())/1000, "deaf-min-ms")
		})
	}
}
