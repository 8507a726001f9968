package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"palisade"
)

// Sign is one reason for a score.
type Sign struct {
	Points int
	Why    string
}

// reach is what a capability counts for, once in a program, however often it is
// used. The grave ones leave the process, or make reading worthless.
var reach = map[palisade.Capability]int{
	palisade.CapProcess: 12, palisade.CapNative: 12, palisade.CapSecret: 12, palisade.CapInstall: 12, palisade.CapPrivilege: 12,
	palisade.CapRemoteCode: 12, palisade.CapEvaluate: 12,
	palisade.CapNetwork: 8, palisade.CapListen: 8, palisade.CapDeletePath: 8, palisade.CapIntrospect: 8, palisade.CapDeserialize: 8,
	palisade.CapKill: 8, palisade.CapRunFile: 8, palisade.CapImportPath: 8, palisade.CapDestroy: 8, palisade.CapSchema: 8,
	palisade.CapCredential: 8, palisade.CapWriteData: 8, palisade.CapSideEffect: 8,
	palisade.CapWritePath: 4, palisade.CapReadPath: 2, palisade.CapEnvironment: 4, palisade.CapSystemInfo: 4, palisade.CapUnresolved: 4,
	palisade.CapTarget: 4, palisade.CapThread: 2,
}

// making is what a build does to the image that it makes, and to nothing else:
// no reach at all.
var making = map[palisade.Capability]bool{
	palisade.CapProcess: true, palisade.CapInstall: true, palisade.CapReadPath: true, palisade.CapWritePath: true, palisade.CapDeletePath: true,
	palisade.CapEnvironment: true, palisade.CapSystemInfo: true, palisade.CapKill: true, palisade.CapThread: true,
}

// Bounds of a score's two halves: what a program reaches for, and how it hides
// that.
const (
	maxReach = 60
	maxHides = 40
)

// Score says how much a program reaches for, and hides, from 0 to 100, with its
// signs. Reach is the sum over its distinct capabilities, at most 60; reading and
// writing count twice outside the workspace; making an image counts nothing. Hiding is at most 40: characters
// that do not show (15), names that are used but do not stand in the text, since
// they were put together (10 each, at most 20), encoded text (10), escapes where
// letters would do (10), calls behind conditions that are constant (5 each, at
// most 10), lines too long to be read (5).
func Score(facts []Fact, text string, dead int) (int, []Sign) {
	signs := slices.Concat(reaches(facts), hides(facts, text, dead))
	return min(100, total(signs)), signs
}

func total(signs []Sign) int {
	n := 0
	for _, s := range signs {
		n += s.Points
	}
	return n
}

// capped bounds the sum of signs by shortening the last ones.
func capped(signs []Sign, most int) []Sign {
	for i := range signs {
		signs[i].Points = min(signs[i].Points, most)
		most -= signs[i].Points
	}
	return signs
}

func reaches(facts []Fact) []Sign {
	points := map[palisade.Capability]int{}
	for _, f := range facts {
		n := reach[f.Capability]
		if f.Image && making[f.Capability] {
			n = 0
		}
		path := f.Capability == palisade.CapReadPath || f.Capability == palisade.CapWritePath
		if path && f.Argument != "" && !InWorkspace(f.Argument) {
			n *= 2
		}
		points[f.Capability] = max(points[f.Capability], n)
	}
	var signs []Sign
	for c, n := range points {
		if n > 0 {
			signs = append(signs, Sign{n, string(c)})
		}
	}
	slices.SortFunc(signs, func(a, b Sign) int { return strings.Compare(a.Why, b.Why) })
	return capped(signs, maxReach)
}

func hides(facts []Fact, text string, dead int) []Sign {
	var signs []Sign
	add := func(points int, format string, args ...any) {
		if points > 0 {
			signs = append(signs, Sign{points, fmt.Sprintf(format, args...)})
		}
	}
	hidden, absent := false, map[string]bool{}
	for _, f := range facts {
		hidden = hidden || f.Kind == KindHidden
		if name := lastName(f.Symbol); reach[f.Capability] >= 8 && f.Kind == KindUse && name != "" && !strings.Contains(text, name) {
			absent[name] = true
		}
	}
	if hidden {
		add(15, "characters that do not show")
	}
	add(min(20, 10*len(absent)), "names that are used and do not stand in the text")
	add(encodedPoints(text), "encoded text")
	add(escapedPoints(text), "escapes where letters would do")
	add(min(10, 5*dead), "code behind constant conditions")
	if longest(text) > 2000 {
		add(5, "lines too long to be read")
	}
	return capped(signs, maxHides)
}

// lastName is the last part of a dotted name that is an identifier.
func lastName(symbol string) string {
	name := symbol[strings.LastIndexByte(symbol, '.')+1:]
	for _, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return ""
		}
	}
	return name
}

func longest(text string) int {
	most := 0
	for line := range strings.Lines(text) {
		most = max(most, len(line))
	}
	return most
}

// Encoded text is a run of at least so many characters of an encoding's
// alphabet, with at least so many bits of entropy a character: English words
// run together stay below (about 4.1), base64 of anything is above (5 and more
// from 100 characters).
const (
	minEncoded        = 80
	minEncodedEntropy = 4.6
)

func encodedPoints(text string) int {
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !isBase64(r) }) {
		if len(run) >= minEncoded && (entropy(run) >= minEncodedEntropy || isHex(run)) {
			return 10
		}
	}
	return 0
}

func isBase64(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '/' || r == '=' || r == '-' || r == '_'
}

// isHex reports whether a run is of hexadecimal digits of both kinds.
func isHex(run string) bool {
	letters := strings.ContainsAny(run, "abcdefABCDEF")
	return letters && strings.ContainsAny(run, "0123456789") && strings.Trim(run, "0123456789abcdefABCDEF") == ""
}

// entropy is Shannon's, in bits a character.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	bits, n := 0.0, float64(len(s))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// escapedPoints looks for escapes of printable ASCII, such as \x6f or \u006f:
// nobody needs one, except a few at a time.
func escapedPoints(text string) int {
	n := 0
	for rest := text; ; {
		i := strings.IndexByte(rest, '\\')
		if i < 0 || i+3 >= len(rest) {
			break
		}
		rest = rest[i+1:]
		digits := ""
		switch rest[0] {
		case 'x':
			digits = rest[1:3]
		case 'u':
			if len(rest) >= 5 && rest[1:3] == "00" {
				digits = rest[3:5]
			}
		}
		if len(digits) == 2 && digits[0] >= '2' && digits[0] <= '7' && isHexDigit(digits[1]) {
			n++
		}
	}
	if n >= 8 {
		return 10
	}
	return 0
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
