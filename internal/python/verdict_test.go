package python

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestVerdicts compares with what seven versions of CPython said of small
// programs, one for each rule that we know of.
func TestVerdicts(t *testing.T) {
	data, err := os.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		verdicts, quoted, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		src, err := strconv.Unquote(quoted)
		if !ok || err != nil || len(verdicts) != newestMinor-oldestMinor+1 {
			t.Fatalf("malformed line %q: %v", line, err)
		}
		var got strings.Builder
		var why error
		for minor := oldestMinor; minor <= newestMinor; minor++ {
			_, err := Parse([]byte(src), Options{Version: Version{3, minor}})
			if err != nil {
				got.WriteByte('x')
				if verdicts[minor-oldestMinor] == '.' {
					why = err
				}
			} else {
				got.WriteByte('.')
			}
		}
		n++
		if got.String() != verdicts {
			t.Errorf("ours %s, CPython %s: %s (%v)", got.String(), verdicts, quoted, why)
		}
	}
	if n < 900 {
		t.Errorf("only %d programs", n)
	}
}
