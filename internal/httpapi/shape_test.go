package httpapi

import (
	"strings"
	"testing"
)

// TestShapes: JSON that costs far more than its size, or that two readers read
// differently, is refused; what is no JSON is the decoder's to refuse.
func TestShapes(t *testing.T) {
	for what, c := range map[string]struct {
		text string
		fine bool
	}{
		"plain":             {`{"a": [1, {"a": 1}, {"a": 2}], "b": {"a": "a", "b": "a"}}`, true},
		"twice":             {`{"limits": {"memory_bytes": 1}, "limits": {}}`, false},
		"twice, escaped":    {`{"a": 1, "\u0061": 2}`, false},
		"twice, deep":       {`{"x": [{"y": {"a": 1, "b": 2, "a": 3}}]}`, false},
		"a value like one":  {`{"a": "b", "b": "a"}`, true},
		"many":              {"[" + strings.Repeat("0,", maxValues+2) + "0]", false},
		"as many as may be": {"[" + strings.Repeat("0,", maxValues-10) + "0]", true},
		"deep":              {strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2), false},
		"one long text":     {`{"code": "` + strings.Repeat("x", 1<<20) + `"}`, true},
		"no JSON":           {`{"a": ]`, true},
		"nothing":           {"", true},
		"an end too many":   {`{}}`, true},
	} {
		if failed := checkShape([]byte(c.text)); (failed == nil) != c.fine {
			t.Errorf("%s: %v", what, failed)
		}
	}
}
