package python

import (
	"os"
	"strings"
	"testing"
)

// TestInspectSeesAll holds that Inspect visits each node of the JSON form once,
// a parent before its children, and siblings by their place.
func TestInspectSeesAll(t *testing.T) {
	data, err := os.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	trees := 0
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(parts) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		src := unquote(t, parts[2])
		m, err := Parse([]byte(src), Options{Version: Version{3, newestMinor}})
		if err != nil {
			continue
		}
		trees++
		var text strings.Builder
		if err := WriteJSON(&text, m); err != nil {
			t.Fatal(err)
		}
		// Operators and contexts are objects in the JSON form, not nodes.
		want := strings.Count(text.String(), `{"_type":"`) - strings.Count(text.String(), `":{"_type":"Load"}`) -
			strings.Count(text.String(), `":{"_type":"Store"}`) - strings.Count(text.String(), `":{"_type":"Del"}`)
		seen := map[Node]bool{}
		last := Pos{}
		Inspect(m, func(n Node) bool {
			if seen[n] {
				t.Errorf("%q: a %s is visited twice", src, n.TypeName())
			}
			seen[n] = true
			switch n := n.(type) {
			case *BinOp, *UnaryOp, *BoolOp, *AugAssign:
				want-- // its operator
			case *Compare:
				want -= len(n.Ops)
			case *Constant, *Name:
				if !strings.ContainsAny(src, "'\"") && before(n.Position(), last) {
					t.Errorf("%q: %v is visited behind %v", src, n.Position(), last)
				}
				last = n.Position()
			}
			return true
		})
		if len(seen) != want {
			t.Errorf("%q: %d nodes are visited of %d", src, len(seen), want)
		}
	}
	if trees < 800 {
		t.Errorf("only %d trees", trees)
	}
}
