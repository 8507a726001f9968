package lookalike

import (
	"slices"
	"strings"
)

// Ecosystem is where packages come from.
type Ecosystem string

// The ecosystems whose names are known.
const (
	Python Ecosystem = "python" // PyPI, and the names under which modules are imported
	NPM    Ecosystem = "npm"
)

// maxName bounds a name that is looked at, in bytes; no honest one is longer.
const maxName = 100

// Near returns the well-known package that a name looks like and is not; empty
// for a name that is known, or looks like none.
func Near(e Ecosystem, name string) string {
	list, ok := lists()[e]
	if !ok || len(name) > maxName {
		return ""
	}
	name = normal(name)
	if list.known[name] {
		return ""
	}
	for _, form := range forms {
		if target := list.forms[form(name)]; target != "" {
			return target
		}
	}
	for _, looks := range []func(name, target string) bool{affixed, misspelled} {
		for _, target := range list.wellKnown {
			if looks(name, target) {
				return target
			}
		}
	}
	return ""
}

// normal writes a name as PyPI compares names (PEP 503).
func normal(name string) string {
	name = strings.ToLower(name)
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
}

// forms are what two names that look alike have in common, one of them.
var forms = []func(string) string{skeleton, joined, sorted}

// confusable letters, after Unicode Technical Standard 39: Cyrillic and Greek
// letters that look like Latin ones, and Latin letters, digits and pairs that
// look like each other.
var confusable = strings.NewReplacer(
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "і", "i", "ј", "j", "ѕ", "s", "ԁ", "d", "һ", "h", "ո", "n",
	"ο", "o", "α", "a", "ν", "v", "ρ", "p", "ι", "i", "κ", "k",
	"0", "o", "1", "l", "rn", "m", "vv", "w",
)

// skeleton is how a name looks on a screen.
func skeleton(name string) string {
	return "looks " + strings.ReplaceAll(confusable.Replace(name), "i", "l")
}

// joined is a name without separators.
func joined(name string) string { return "joined " + strings.ReplaceAll(name, "-", "") }

// sorted is a name with its parts in order.
func sorted(name string) string {
	parts := strings.Split(name, "-")
	slices.Sort(parts)
	return "parts " + strings.Join(parts, "-")
}

// affixes are what squatters put before or behind a name.
var affixes = []string{"python", "python3", "py", "py3", "js", "node", "lib", "3", "2", "s", "official", "sdk", "api"}

// affixed reports whether a name is a target with a word before or behind it.
func affixed(name, target string) bool {
	if len(target) < minName {
		return false
	}
	before, isBefore := strings.CutSuffix(name, target)
	behind, isBehind := strings.CutPrefix(name, target)
	return isBefore && slices.Contains(affixes, strings.TrimSuffix(before, "-")) ||
		isBehind && slices.Contains(affixes, strings.TrimPrefix(behind, "-"))
}

// Lengths, in letters, from which on one or two mistakes make a look-alike:
// among shorter names nearly everything is near something.
const (
	minName = 5
	minTwo  = 10
)

// misspelled reports whether a name is a few mistakes away from a target.
func misspelled(name, target string) bool {
	most := 1
	if len(target) >= minTwo {
		most = 2
	}
	if len(target) < minName || len(name) < len(target)-most || len(name) > len(target)+4*most {
		return false // a letter has at most four bytes
	}
	if name[0] != target[0] && !sameLetters(name, target) {
		return false
	}
	return near([]rune(name), []rune(target), most)
}

// sameLetters reports whether two names have the same letters.
func sameLetters(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// near reports whether at most so many letters must be added, left out, changed
// or swapped with their neighbor (the optimal string alignment distance).
func near(a, b []rune, most int) bool {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return false
	}
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := row[0]
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return false
		}
		two, one, row = one, row, two
	}
	return one[len(b)] <= most
}
