package secret

import (
	"strings"
	"testing"
	"time"
)

func find(name, text string) []Found {
	var s Search
	found, _ := s.Find(name, text)
	return found
}

func TestFind(t *testing.T) {
	text := "x = 1\n\nkey = 'AKIAQYLPMN5HHHFPZAM2'\n"
	got := find("p.py", text)
	if len(got) != 1 || got[0].Rule != "aws-access-token" || got[0].Line != 3 || got[0].Column != 8 || got[0].Description == "" {
		t.Errorf("%+v", got)
	}
	for _, clean := range []string{"", "print('hello')", "token = input()", "key = 'your-api-key-here'"} {
		if got := find("p.py", clean); len(got) != 0 {
			t.Errorf("%q: %+v", clean, got)
		}
	}
	// An author's word is not heeded, nor a name that gitleaks passes over.
	for _, name := range []string{"p.py", "node_modules/x.js", "go.sum"} {
		if got := find(name, "k = 'AKIAQYLPMN5HHHFPZAM2' # gitleaks:allow"); len(got) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestHostile: a text of every keyword, as large as is searched, is still read in
// bounded time, and what is found has an end.
func TestHostile(t *testing.T) {
	var words strings.Builder
	for _, r := range catalogue().Rules {
		words.WriteString(strings.Join(r.Keywords, " = '") + "\n")
	}
	start := time.Now()
	for i, text := range []string{
		strings.Repeat(words.String(), 1+(1<<20)/words.Len()), strings.Repeat("key = 'AKIAQYLPMN5HHHFPZAM2'\n", 100_000), strings.Repeat("a", 4<<20),
	} {
		var s Search
		if got, complete := s.Find("x", text); len(got) > maxFound || complete != (i > 0) {
			t.Errorf("%.40q: %d findings, complete: %t", text, len(got), complete)
		}
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}
