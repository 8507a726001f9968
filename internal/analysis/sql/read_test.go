package sql

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

// lines reads a file of testdata: fields parted by " | ", the source last.
func lines(t testing.TB, file string, fields int) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.SplitN(line, " | ", fields)
		if len(parts) != fields {
			t.Fatalf("%s: not %d fields: %s", file, fields, line)
		}
		parts[0] = strings.TrimPrefix(parts[0], "any")
		out = append(out, parts)
	}
	return out
}

// describe gives facts as testdata has them, each once.
func describe(facts []analysis.Fact) string {
	var out []string
	for _, f := range facts {
		s := string(f.Capability) + " " + f.Symbol
		if f.Argument != "" && f.Argument != f.Symbol {
			s += " " + f.Argument
		}
		if f.Unknown {
			s += " ?"
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, "; ")
}

// reads reports whether facts say of a text that it only reads tables.
func reads(facts []analysis.Fact) bool {
	return !slices.ContainsFunc(facts, func(f analysis.Fact) bool { return f.Capability != palisade.CapReadData })
}

func TestStatements(t *testing.T) {
	for _, l := range lines(t, "statements.txt", 3) {
		got, err := Read(analysis.Text{Dialect: l[0], Name: "q", Source: l[2]})
		if err != nil {
			t.Errorf("%s: %s: %v", l[0], l[2], err)
			continue
		}
		if d := describe(got.Facts); d != l[1] {
			t.Errorf("%s: %s\n got %s\nwant %s", l[0], l[2], d, l[1])
		}
	}
}

func TestQueries(t *testing.T) {
	for _, l := range lines(t, "queries.txt", 2) {
		got, err := Read(analysis.Text{Dialect: l[0], Name: "q", Source: l[1]})
		if err != nil || !reads(got.Facts) {
			t.Errorf("%s: %s: %s, %v", l[0], l[1], describe(got.Facts), err)
		}
		// Without a dialect too: what one dialect refuses, another one has.
		if got, err = Read(analysis.Text{Name: "q", Source: l[1]}); err != nil || !reads(got.Facts) {
			t.Errorf("of no dialect: %s: %s, %v", l[1], describe(got.Facts), err)
		}
	}
}

// TestRefused has what no query of a dialect is.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ dialect, source string }{
		{"postgresql", "SELECT"[:5]}, {"postgresql", "SELECT * FORM t"}, {"postgresql", "DELETE t"},
		{"postgresql", "SELECT 1 INTO OUTFILE '/tmp/x'"}, {"postgresql", "SELECT 'open"}, {"postgresql", "SELECT $$ open"},
		{"postgresql", "SELECT /* open"}, {"postgresql", "SELECT (1"}, {"postgresql", "SELECT 1)"}, {"postgresql", "SELECT 1 SELECT 2"},
		{"postgresql", "SELECT * FROM 'x'"}, {"postgresql", "SELECT a FROM t WHERE"}, {"postgresql", "SELECT 1a"},
		{"postgresql", "PRAGMA table_info(t)"}, {"postgresql", "EXEC xp_cmdshell 'id'"}, {"postgresql", "SELECT U&'\\00'"},
		{"mysql", "COPY t FROM '/x'"}, {"mysql", "SELECT a::int"}, {"mysql", "ATTACH 'x' AS y"}, {"mysql", "SELECT 1 /*!50000 + 1"},
		{"mysql", "SELECT a FROM t PROCEDURE ANALYSE(extractvalue(1, 2))"}, {"mysql", "VALUES (1) UPDATE t"},
		{"sqlite", "COPY t FROM '/x'"}, {"sqlite", "SELECT * INTO t FROM u"}, {"sqlite", "SELECT a FROM t FOR UPDATE OF"},
		{"sqlite", "SELECT [a"}, {"sqlite", "DO 1"},
		{"", "hello world"}, {"", "import os; os.system('id')"}, {"", "DROP"}, {"", "'; DROP TABLE t; --"},
	} {
		got, err := Read(analysis.Text{Dialect: c.dialect, Source: c.source})
		var syntax *analysis.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: %q: %v, %v", c.dialect, c.source, describe(got.Facts), err)
		} else if syntax.Line < 1 || syntax.Column < 1 {
			t.Errorf("%s: %q: no place: %v", c.dialect, c.source, err)
		}
	}
	if _, err := Read(analysis.Text{Dialect: "oracle", Source: "SELECT 1"}); err == nil {
		t.Error("an unknown dialect was read")
	}
}

// TestEveryDialect has texts that dialects see differently: of no dialect, they
// count as all that any of them sees.
func TestEveryDialect(t *testing.T) {
	for source, want := range map[string]string{
		"SELECT 1 -- \n; DROP TABLE t":                 "schema DROP TABLE t",
		"SELECT 1 /* /* */ ; DROP TABLE t -- */ */":    "schema DROP TABLE t",
		"SELECT 1 # 2\n; DROP TABLE t":                 "schema DROP TABLE t",
		"SELECT 1 /*! ; DROP TABLE t */":               "schema DROP TABLE t",
		`SELECT 'a\'; DROP TABLE t; -- '`:              "schema DROP TABLE t",
		`SELECT "a\"; DROP TABLE t; -- "`:              "schema DROP TABLE t",
		"SELECT `a`; DROP TABLE t":                     "schema DROP TABLE t",
		"SELECT $$ ' $$; DROP TABLE t; SELECT $$ ' $$": "schema DROP TABLE t",
		"SELECT [a']; DROP TABLE t; SELECT [']":        "schema DROP TABLE t",
		"SELECT --1\n1; DROP TABLE t":                  "schema DROP TABLE t",
		"SELECT E'\\'; DROP TABLE t; --'":              "obfuscation backslash before a quote",
	} {
		got, err := Read(analysis.Text{Source: source})
		if err != nil || !strings.Contains(describe(got.Facts), want) {
			t.Errorf("%q: %s, %v", source, describe(got.Facts), err)
		}
	}
}

func TestPlaces(t *testing.T) {
	got, err := Read(analysis.Text{Dialect: "postgresql", Name: "q.sql",
		Source: "SELECT a,\n  b FROM\n  t JOIN é ON true;\nDO $$ BEGIN\n  DELETE FROM u; END $$"})
	if err != nil {
		t.Fatal(err)
	}
	places := map[string][2]int{}
	for _, f := range got.Facts {
		places[f.Argument] = [2]int{f.Line, f.Column}
		if f.File != "q.sql" {
			t.Errorf("file %q", f.File)
		}
	}
	for what, want := range map[string][2]int{"t": {3, 3}, "é": {3, 10}, "plpgsql": {4, 1}, "u": {5, 3}} {
		if places[what] != want {
			t.Errorf("%s at %v, want %v", what, places[what], want)
		}
	}
}

func TestEvidence(t *testing.T) {
	for source, want := range map[string]string{
		"SELECT a, x.b, c FROM t AS x":                                "columns a, b, c",
		"SELECT t.a, u.b, c FROM t JOIN u USING (i)":                  "columns a, c?, i?",
		"SELECT * FROM t WHERE a > (SELECT max(t.z) FROM u)":          "columns *, a, z",
		"SELECT 1; SELECT 2; DELETE FROM t":                           "statement 3 of the text",
		"INSERT INTO t (a, b) VALUES (1, 2)":                          "columns a, b",
		"UPDATE t SET a = 1, b = 2":                                   "columns a, b",
		"SELECT query_to_xml('DELETE FROM t', true, true, '')":        "text that query_to_xml runs",
		"SELECT set_config(U&'s\\0065arch_path', 'x', false) FROM t1": `decoded from U&'s\0065arch_path'`,
	} {
		got, err := Read(analysis.Text{Dialect: "postgresql", Source: source})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(got.Facts, func(f analysis.Fact) bool { return strings.Contains(f.Evidence, want) }) {
			t.Errorf("%s: nothing says %q: %+v", source, want, got.Facts)
		}
	}
}

// TestEmbedded hands code in Python to its own reader.
func TestEmbedded(t *testing.T) {
	got, err := Read(analysis.Text{Dialect: "postgresql", Source: "DO LANGUAGE plpython3u $$\nimport os\n$$"})
	want := analysis.Embedded{Language: palisade.Python, Source: "\nimport os\n", Line: 1, Column: 26, Via: "DO … LANGUAGE plpython3u"}
	if err != nil || len(got.Embedded) != 1 || got.Embedded[0] != want {
		t.Errorf("%+v, %v", got.Embedded, err)
	}
}
