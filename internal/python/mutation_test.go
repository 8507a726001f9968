package python

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// snippet is the tokens of one statement, as text with the space before each.
type snippet []string

// snippets cuts the top-level statements of the library into tokens.
func snippets(t testing.TB, v Version, files []string, rng *rand.Rand, limit int) []snippet {
	t.Helper()
	minor, err := v.minor()
	if err != nil {
		t.Fatal(err)
	}
	var list []snippet
	for len(list) < limit {
		raw, err := os.ReadFile(files[rng.IntN(len(files))])
		if err != nil {
			t.Fatal(err)
		}
		src, err := Normalize(raw)
		if err != nil || len(src) > 100_000 {
			continue
		}
		m, err := Parse(src, Options{Version: v})
		if err != nil {
			continue
		}
		lines := strings.SplitAfter(string(src), "\n")
		for _, s := range m.Body {
			p := s.Position()
			text := strings.Join(lines[p.Line-1:p.EndLine], "")
			if len(text) > 1200 || rng.IntN(4) != 0 {
				continue
			}
			lx := newLexer([]byte(text), minor, new([maxIndents]indent))
			var tok token
			var cut snippet
			at := 0
			for lx.next(&tok); tok.kind != tEOF && tok.kind != tError; lx.next(&tok) {
				if tok.end > int32(at) {
					cut = append(cut, lx.src[at:tok.end])
					at = int(tok.end)
				}
			}
			if len(cut) > 1 {
				list = append(list, cut)
			}
		}
	}
	return list
}

// words are inserted by mutations beside the tokens of other programs.
var words = strings.Fields(`if else elif for while try except finally with as match case type def class
	lambda yield await async return break continue global nonlocal import from del assert raise pass not in
	is and or None True False _ __debug__ x ( ) [ ] { } : , ; . ... -> := = == != <= * ** / // @ + - ~ < >> += **=
	0 1.5 2j 0x1f 1_000 'a' b'c' f'{x}' f'{x!r:>{y}}' f'{x=}' rb'\\d' u'é' """d""" 'a'f'{b}' except* *x **y`)

// mutate changes some tokens of a program.
func mutate(s snippet, pool []snippet, rng *rand.Rand) string {
	s = append(snippet(nil), s...)
	for range 1 + rng.IntN(3) {
		i := rng.IntN(len(s))
		other := pool[rng.IntN(len(pool))]
		switch rng.IntN(8) {
		case 0:
			s = append(s[:i:i], s[i+1:]...)
		case 1:
			s = append(s[:i+1:i+1], s[i:]...)
		case 2:
			j := rng.IntN(len(s))
			s[i], s[j] = s[j], s[i]
		case 3:
			s[i] = " " + words[rng.IntN(len(words))]
		case 4:
			s = append(s[:i:i], append(snippet{" " + words[rng.IntN(len(words))] + " "}, s[i:]...)...)
		case 5:
			s[i] = other[rng.IntN(len(other))]
		case 6:
			j := rng.IntN(len(other))
			k := j + rng.IntN(min(6, len(other)-j))
			s = append(s[:i:i], append(append(snippet(nil), other[j:k+1]...), s[i:]...)...)
		case 7:
			b := []byte(s[i])
			if len(b) > 0 {
				const bytes = " \t\n\f\\'\"{}()[]:=!#.,abfrtuxNj019_*\x00\r"
				b[rng.IntN(len(b))] = bytes[rng.IntN(len(bytes))]
			}
			s[i] = string(b)
		}
		if len(s) == 0 {
			return ""
		}
	}
	return strings.Join(s, "")
}

// TestMutationsAgree changes programs at random and holds that the interpreter
// and we accept the same ones, and then see the same tree. The seed is fixed;
// PALISADE_MUTATIONS (a number) and PALISADE_SEED ask for more.
func TestMutationsAgree(t *testing.T) {
	o := startOracle(t)
	count, seed := 8000, uint64(1)
	if s := os.Getenv("PALISADE_MUTATIONS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	if s := os.Getenv("PALISADE_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	pool := snippets(t, o.version, libraryFiles(t), rng, 1500)
	start := time.Now()
	var both, neither, n int
	for ; n < count && time.Since(start) < 10*time.Minute; n++ {
		src := []byte(mutate(pool[rng.IntN(len(pool))], pool, rng))
		src, err := Normalize(src)
		if err != nil {
			continue
		}
		theirs, ok := o.ask(t, "hash", src)
		our, err := ours(src, o.version)
		switch {
		case err != nil && !ok:
			neither++
		case err != nil:
			t.Errorf("refused (%v), CPython accepts: %q", err, src)
		case !ok:
			t.Errorf("accepted, CPython: %s: %q", theirs, src)
		case our[:64] != theirs[:64]:
			tree, _ := o.ask(t, "tree", src)
			t.Errorf("digests differ: %q %s", src, difference(jsonOf(src, o.version), tree))
		case o.version.Minor == 11 && our != theirs:
			tree, _ := o.ask(t, "tree", src)
			t.Errorf("positions differ: %q %s", src, difference(jsonOf(src, o.version), tree))
		default:
			both++
		}
	}
	t.Logf("%d programs: %d accepted by both, %d by neither", n, both, neither)
}
