package httpapi

import (
	"fmt"
	"testing"
	"time"
)

// TestDecode: nothing of the decoder's own types is in what it says.
func TestDecode(t *testing.T) {
	for want, c := range map[string]struct {
		body string
		into any
	}{
		"body.A.B: a string stands there: want an object":                         {`{"A": {"B": "x"}}`, &struct{ A struct{ B map[string]int } }{}},
		"body.A: an object stands there: want a number":                           {`{"A": {}}`, &struct{ A *float64 }{}},
		"body.A: a number stands there: want a string":                            {`{"A": 1}`, &struct{ A []byte }{}},
		"body.A: true or false stands there: want a list":                         {`{"A": true}`, &struct{ A []int }{}},
		"body.A: a list stands there: want true or false":                         {`{"A": []}`, &struct{ A bool }{}},
		"body: a list stands there: want an object":                               {`[]`, &struct{}{}},
		"unexpected end of JSON input":                                            {`{`, &struct{}{}},
		"body: a time does not read: want RFC 3339, such as 2026-01-31T12:00:00Z": {`{"expires": "soon"}`, &struct{ Expires time.Time }{}},
	} {
		if err := decode([]byte(c.body), c.into); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", c.body, err, want)
		}
	}
}
