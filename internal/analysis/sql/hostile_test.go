package sql

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"palisade/internal/analysis"
)

// size is the most that a program may have by default.
const size = 256 << 10

// fill repeats a piece to the size.
func fill(piece string) string { return strings.Repeat(piece, size/len(piece)) }

// TestHostile has inputs that are large, deep or made to be read twice. None
// may crash the reader or keep it for long, in any dialect.
func TestHostile(t *testing.T) {
	deep := func(open, inner, shut string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	texts := map[string]string{
		"open brackets": fill("("), "select in brackets": "SELECT " + deep("(", "1", ")", 100_000),
		"brackets at the limit": "SELECT " + deep("(", "1", ")", maxDepth-1), "many at the limit": "SELECT " + strings.Repeat(deep("(", "1", ")", maxDepth-1)+",", 600) + "1",
		"queries in brackets": "SELECT * FROM " + deep("(SELECT * FROM ", "t", ") x", 5000), "tables in brackets": "SELECT * FROM " + deep("(", "t", ")", 150),
		"square brackets": "SELECT ARRAY" + deep("[", "1", "]", 100_000), "subscripts": "SELECT a" + fill("[1]"), "braces": "SELECT " + deep("{d ", "1", "}", 80_000),
		"case in case": "SELECT " + deep("CASE WHEN ", "1", " THEN 1 END", 10_000), "not": "SELECT " + fill("NOT ") + "a", "minus": "SELECT " + fill("- ") + "1",
		"with in with": deep("WITH a AS (", "SELECT 1", ") SELECT 1", 8000), "with chain": "WITH " + fill("a AS (SELECT 1), ") + "b AS (SELECT 1) SELECT 1",
		"with before delete": deep("WITH a AS (", "SELECT 1", ") DELETE FROM t", 190), "many names": "WITH " + fill("a AS (SELECT * FROM a), ") + "b AS (SELECT 1) SELECT * FROM b",
		"joins": "SELECT * FROM a" + fill(" CROSS JOIN b"), "natural joins": "SELECT * FROM a" + fill(" NATURAL JOIN b"), "nested joins": "SELECT * FROM a" + fill(" JOIN b"),
		"unions": "SELECT 1" + fill(" UNION SELECT 1"), "tables": "SELECT * FROM " + fill("t,") + "t", "columns": "SELECT " + fill("a,") + "a FROM t, u, v",
		"calls": "SELECT " + deep("f(", "1", ")", 100_000), "unknown calls": "SELECT " + fill("f(),") + "f()", "statements": fill("SELECT 1;"), "semicolons": fill(";"),
		"explains": fill("EXPLAIN ") + "SELECT 1", "prepare in prepare": deep("PREPARE p AS ", "SELECT 1", "", 15_000), "begin in begin": "DO $$" + fill("BEGIN ") + "$$",
		"strings": "SELECT " + fill("'a' ") + "", "open string": "SELECT '" + fill("a"), "quotes": fill("'"), "double quotes": fill(`"`), "backslashes": "SELECT '" + fill(`\`) + "'",
		"comments": fill("/*"), "comment ends": fill("*/"), "closed comments": fill("/**/") + "SELECT 1", "version comments": fill("/*!1") + "SELECT 1", "version pairs": "SELECT 1" + fill("/*! */"),
		"dollars": fill("$"), "dollar tags": fill("$a$ $b$ "), "unclosed tags": fill("$a"), "many tags": strings.Repeat("$a", 1) + fill("$aa "), "lines": fill("--\n"), "operators": "SELECT 1" + fill("+") + "1",
		"operator run": "SELECT 1 " + fill("*-") + "1", "numbers": "SELECT " + fill("1_"), "dots": "SELECT a" + fill(".a"), "stars": "SELECT " + fill("*,"), "casts": "SELECT a" + fill("::int"),
		"procedure": "CREATE PROCEDURE p() BEGIN " + fill("IF a THEN ") + "END", "trigger": "CREATE TRIGGER g BEGIN " + fill("DELETE FROM t;") + "END", "create": fill("CREATE "), "or": "CREATE " + fill("OR "),
		"grant": "GRANT " + fill("SELECT,"), "insert": "INSERT INTO t VALUES " + fill("(1),") + "(1)", "loose brackets": "CREATE TABLE t " + deep("(", "a", ")", 190), "failed calls": "CREATE TABLE t (" + fill("pg_sleep(a b "),
		"failed calls in calls": "CREATE TABLE t " + deep("(pg_sleep(a b ", "", "))", 90), "windows": "SELECT 1 WINDOW " + fill("w AS (),"), "uescape": "SELECT " + fill(`U&'\0061' UESCAPE '!' `),
		"meta": fill("\\"), "meta lines": fill("\\!\n"), "dot lines": fill(".x\n"), "variables": "SELECT " + fill("@"), "unicode": fill("é"), "bytes": fill("\xff"), "hints": "SELECT " + fill("/*+ set_var */"),
		"sql in sql": "SELECT " + fill("query_to_xml('SELECT 1'),") + "1", "intervals": "SELECT " + deep("interval ", "1", "", 30_000), "between": "SELECT 1" + fill(" BETWEEN 1 AND"), "is not": "SELECT a" + fill(" IS NOT NULL"),
	}
	quoted := "SELECT 1"
	for range 12 {
		quoted = "SELECT query_to_xml('" + strings.ReplaceAll(quoted, "'", "''") + "', true)"
	}
	texts["sql in sql in sql"] = quoted
	for name, source := range texts {
		start := processor(t)
		got, err := Read(analysis.Text{Source: source}) // in each dialect
		if d := processor(t) - start; d > 2*time.Second {
			t.Errorf("%s: %v for %d bytes", name, d, len(source))
		}
		if err == nil && len(got.Facts) > maxFacts {
			t.Errorf("%s: %d facts", name, len(got.Facts))
		}
	}
}

// TestBounds has each bound hold, with an error that is not of syntax: such a
// text is not refused as strange, but because it is too much.
func TestBounds(t *testing.T) {
	for name, source := range map[string]string{
		"depth": "SELECT " + strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000),
		"size":  strings.Repeat(" ", maxBytes+1),
		"facts": "SELECT " + strings.Repeat("f(),", maxFacts+1) + "1",
		"case":  "SELECT " + strings.Repeat("CASE ", 1000) + "1",
	} {
		_, err := Read(analysis.Text{Source: source})
		if _, ok := errors.AsType[*budgetError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range lines(f, "statements.txt", 3) {
		f.Add(l[0], l[2])
	}
	for _, l := range lines(f, "queries.txt", 2) {
		f.Add(l[0], l[1])
	}
	f.Fuzz(func(t *testing.T, dialect, source string) {
		got, err := Read(analysis.Text{Dialect: dialect, Source: source})
		again, err2 := Read(analysis.Text{Dialect: dialect, Source: source})
		if describe(got.Facts) != describe(again.Facts) || (err == nil) != (err2 == nil) {
			t.Errorf("not the same twice: %q", source)
		}
		for _, fact := range got.Facts {
			if fact.Line < 1 || fact.Column < 1 || fact.Capability == "" || fact.Symbol == "" {
				t.Errorf("%q: a fact without a place or a name: %+v", source, fact)
			}
		}
	})
}

// processor is the time that this process has computed: others on the machine
// do not count.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
