package python

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/runenames"
)

// nfkc is how Python compares identifiers (PEP 3131).
func nfkc(s string) string { return norm.NFKC.String(s) }

// badIdentifier finds the first rune of s that an identifier may not have there.
func badIdentifier(s string) (at int, bad bool) {
	for i, r := range s {
		if r < 0x80 {
			continue
		}
		if !xidContinue(r) || i == 0 && !xidStart(r) {
			return i, true
		}
	}
	return 0, false
}

// xidStart and xidContinue are Unicode's properties of the same names: those of
// ID_Start and ID_Continue, less the runes that NFKC turns into something else
// (UAX 31, section 5.1).
func xidStart(r rune) bool {
	switch {
	case r == 0x0e33, r == 0x0eb3, r == 0xff9e, r == 0xff9f:
		return false
	}
	return idStart(r) && !notNFKC(r)
}

func xidContinue(r rune) bool {
	if notNFKC(r) {
		return false
	}
	return idStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

func idStart(r rune) bool {
	return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start) &&
		!unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// notNFKC holds the runes of ID_Continue whose NFKC is no identifier.
func notNFKC(r rune) bool {
	switch {
	case r == 0x037a, r == 0x309b, r == 0x309c,
		r >= 0xfc5e && r <= 0xfc63, r == 0xfdfa, r == 0xfdfb:
		return true
	case r >= 0xfe70 && r <= 0xfe7e:
		return r&1 == 0
	}
	return false
}

// names maps the names of Unicode to runes. It is made at the first \N escape.
var names = sync.OnceValue(func() map[string]rune {
	m := make(map[string]rune, 40_000)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		switch {
		case r >= 0xac00 && r <= 0xd7a3, r >= 0x3400 && r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff,
			r >= 0x20000 && r <= 0x323af, r >= 0xd800 && r <= 0xf8ff, r >= 0xe0200:
			continue // by rule, or without a name
		}
		if n := runenames.Name(r); n != "" && n[0] != '<' {
			m[n] = r
		}
	}
	for _, a := range strings.Split(nameAliases, "\n") {
		if name, r, ok := cutAlias(a); ok {
			m[name] = r
		}
	}
	return m
})

// runeByName finds a rune by its name or alias, in any case, as \N{…} does.
// Named sequences are not runes, and CPython does not take them either.
func runeByName(name string) (rune, bool) {
	if len(name) > 256 {
		return 0, false
	}
	// Names by rule are taken in capitals only, those by table in any case.
	if hex, ok := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); ok {
		return ideograph(hex)
	}
	if s, ok := strings.CutPrefix(name, "HANGUL SYLLABLE "); ok {
		return hangul(s)
	}
	r, ok := names()[strings.ToUpper(name)]
	return r, ok
}

func ideograph(hex string) (rune, bool) {
	if len(hex) != 4 && len(hex) != 5 {
		return 0, false
	}
	var r rune
	for i := range len(hex) {
		d := digitValue(hex[i])
		if d > 15 || hex[i] >= 'a' {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, unicode.Is(unicode.Unified_Ideograph, r)
}

// hangul undoes the arithmetic of Unicode's section 3.12.
func hangul(s string) (rune, bool) {
	best := func(parts []string) int {
		found := -1
		for i, part := range parts {
			if strings.HasPrefix(s, part) && (found < 0 || len(part) > len(parts[found])) {
				found = i
			}
		}
		if found >= 0 {
			s = s[len(parts[found]):]
		}
		return found
	}
	l := best([]string{"G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K", "T", "P", "H"})
	v := best([]string{"A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O", "WA", "WAE", "OE", "YO", "U", "WEO", "WE", "WI", "YU", "EU", "YI", "I"})
	t := best([]string{"", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG", "LM", "LB", "LS", "LT", "LP", "LH", "M", "B", "BS", "S", "SS", "NG", "J", "C", "K", "T", "P", "H"})
	if l < 0 || v < 0 || t < 0 || s != "" {
		return 0, false
	}
	return rune(0xac00 + (l*21+v)*28 + t), true
}

// cutAlias reads a line "NAME;HEX" of nameAliases.
func cutAlias(line string) (name string, r rune, ok bool) {
	name, hex, ok := strings.Cut(line, ";")
	if !ok {
		return "", 0, false
	}
	for i := range len(hex) {
		r = r<<4 | rune(digitValue(hex[i]))
	}
	return name, r, true
}
