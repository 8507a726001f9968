package feedback

import (
	"math/rand/v2"
	"strings"
	"testing"

	"palisade"
)

// TestFragments joins pieces of tracebacks, secrets and controls at random,
// cuts them, and holds the result to what is promised of every text.
func TestFragments(t *testing.T) {
	pieces := []string{"Traceback (most recent call last):\n", "  File \"prog.py\", line 1, in <module>\n", "  File \"/usr/lib/python3.11/x.py\", line 1, in y\n",
		"    code\n", "    ~~^^\n", "NameError: name 'x' is not defined\n", "OSError: detail\n", "OSError\n", "  | ", "  + Exception Group ", "\n", " ", "a: b", ": ",
		"detail\nmore\n", "=" + sampleKey + ",", samplePEM, samplePEM[:100], "[… 5 bytes left out …]", "[redacted:jwt]", "<output ", "</value>", "\x1b[31m", "\r", "❤\ufe0f", "\ufe0f", "\u202e", "\xff",
		"https://a:b@c/", "buildbox7", "/var/lib/palisade/x", strings.Repeat("word ", 30), strings.Repeat("x", 300), strings.Repeat("日本", 40)}
	s := newSanitizer(t)
	random := rand.New(rand.NewPCG(7, 8))
	join := func() string {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	for round := range 20_000 {
		text := join()
		at := random.IntN(len(text) + 1)
		skip := random.IntN(len(text) - at + 1)
		v := verdict()
		v.Limits.Kept = int64([]int{0, 50, 150, 400, 1000}[random.IntN(5)])
		v.TrustMessages = random.IntN(3) == 0
		message := join()
		captured := palisade.Captured{Head: []byte(text[:at]), Tail: []byte(text[at+skip:]), Total: int64(len(text))}
		got := s.Sanitize(caseOf("x = 1\n"), v, palisade.Result{Status: palisade.RuntimeError, Stdout: captured, Stderr: captured, Exception: &palisade.Exception{Type: "NameError", Message: message}})
		checkAll(t, got)
		// Lines of a key are not known for that where its first line was left out whole.
		blind := strings.Contains(text[at:at+skip], "BEGIN RSA PRIVATE KEY-----")
		if all := got.Output + got.Stderr + got.Feedback.Text + strings.Join(got.Errors, ""); strings.Contains(all, sampleKey) || !blind && strings.Contains(all, "MIIEabcdMIIEabcd") {
			t.Fatalf("round %d: a secret is left: %q\nhead %q\ntail %q", round, all, captured.Head, captured.Tail)
		}
		again := s.Sanitize(caseOf("x = 1\n"), v, palisade.Result{Status: palisade.RuntimeError, Stdout: whole(got.Output), Stderr: whole(got.Stderr), Exception: &palisade.Exception{Type: "NameError", Message: message}})
		if again.Output != got.Output {
			t.Fatalf("round %d: output %q\n and then %q", round, got.Output, again.Output)
		}
		if again.Stderr != got.Stderr {
			t.Fatalf("round %d: stderr %q\n from %q\n and then %q", round, got.Stderr, text, again.Stderr)
		}
	}
}
