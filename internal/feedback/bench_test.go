package feedback

import (
	"strings"
	"testing"

	"palisade"
)

func BenchmarkSanitize(b *testing.B) {
	for name, text := range map[string]string{"one line": "42\n", "64 KiB": strings.Repeat("the answer is 42 and every step is shown\n", 1600)} {
		b.Run(name, func(b *testing.B) {
			s := newSanitizer(b)
			r := palisade.Result{Status: palisade.OK, Stdout: whole(text)}
			for b.Loop() {
				s.Sanitize(caseOf(program), verdict(), r)
			}
		})
	}
}
