package sql

import (
	"strings"
	"sync"
)

// reservedWords cannot be names here. They are the words that start or go on
// with a clause in one of the three dialects (PostgreSQL's manual, appendix C;
// MySQL's 11.3; SQLite's "SQL Keywords"), but for those that are common names
// of columns and that no clause of the grammar needs.
const reservedWords = `
	all alter and as between by call case check collate copy create cross default delete distinct div do drop
	else end escape except exists explain fetch for foreign from full glob grant group having ilike in inner
	insert intersect into is isnull join lateral like limit load merge natural not notnull null offset on or order
	outfile over primary procedure references regexp returning revoke right left rlike select set similar
	straight_join table then to truncate union update using values when where window with xor`

// wordSet makes a set of the words of a list.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

var reservedSet = sync.OnceValue(func() map[string]bool { return wordSet(reservedWords) })

func reserved(w string) bool { return reservedSet()[w] }
