package python

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func unquote(t *testing.T, quoted string) string {
	t.Helper()
	s, err := strconv.Unquote(quoted)
	if err != nil {
		t.Fatalf("malformed program %q: %v", quoted, err)
	}
	return s
}

// exceptions are programs on which we differ on purpose from one of the seven
// interpreters, with the reason. In each the interpreter's own digest decides.
var exceptions = map[string]string{
	"f'{a:{b=}}'":   "3.12.1 refuses it, later patch releases do not",
	"f'''{'#'=}'''": "3.12.1 and 3.13.0 take # in a string for a comment, later patch releases do not",
	"\ua7f2 = 1":    "a letter since Unicode 14: 3.8 to 3.10 know older tables",
}

// TestVerdicts compares with what seven versions of CPython make of small
// programs, some for each rule that we know of.
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
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(parts) != 3 || len(parts[0]) != newestMinor-oldestMinor+1 {
			t.Fatalf("malformed line %q", line)
		}
		src := unquote(t, parts[2])
		digests := strings.Split(parts[1], ",")
		var got strings.Builder
		var why error
		for i, letter := range parts[0] {
			m, err := Parse([]byte(src), Options{Version: Version{3, oldestMinor + i}})
			switch {
			case err != nil:
				got.WriteByte('x')
				if letter != 'x' {
					why = err
				}
			case letter == 'x':
				got.WriteByte('.')
			case HexDigest(m)[:16] != digests[letter-'a']:
				got.WriteByte('!')
			default:
				got.WriteRune(letter)
			}
		}
		n++
		if exceptions[src] != "" {
			continue
		}
		if got.String() != parts[0] {
			t.Errorf("ours %s, CPython %s: %.200s (%v)", got.String(), parts[0], parts[2], why)
		}
	}
	if n < 2100 {
		t.Errorf("only %d programs", n)
	}
}
