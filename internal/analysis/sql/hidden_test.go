package sql

import (
	"slices"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

// TestHidden has texts that one dialect takes for a harmless query, since it
// skips what another one runs, and that the other one's grammar here cannot read.
func TestHidden(t *testing.T) {
	for _, source := range []string{
		"SELECT 1 # (SELECT 1 WHERE pg_read_file('/etc/passwd') IS NULL AND interval(3) '1 s' IS NULL)",
		"SELECT 1 # pg_sleep(9)::int nonsense nonsense nonsense",
		"SELECT 1 # 2a, pg_sleep(9) nonsense nonsense nonsense",
		"SELECT 1 # 1 FROM pg_shadow nonsense nonsense nonsense",
		"SELECT x [ (SELECT pg_sleep(9) nonsense nonsense nonsense) ]",
		"SELECT 1 /*! ; DELETE FROM t; nonsense )) */",
		"SELECT 1 /*M! INTO OUTFILE '/tmp/x' nonsense nonsense */",
		"SELECT 1 --1; DELETE FROM t; ))",
		"SELECT 1 --1 INTO OUTFILE '/tmp/x' ))",
		`SELECT '\'; DELETE FROM t; )) -- '`,
		`SELECT 'a\' ; DELETE FROM t; )) -- '`,
		"SELECT 1 /* /* */ ; DELETE FROM t; nonsense nonsense nonsense -- */ */",
	} {
		got, err := Read(analysis.Text{Name: "q", Source: source})
		if err == nil && reads(got.Facts) {
			t.Errorf("%s: nothing is seen in it", source)
		}
	}
	for _, source := range []string{
		"SELECT a FROM t -- (all; of them)", "SELECT a FROM t # all of them", "SELECT `a` FROM t WHERE b = 'x (y); z'",
		"SELECT [a] FROM t WHERE b = '(;'", "SELECT $$a b, c$$", "SELECT a FROM t --all of them\n", "SELECT a::int FROM t /* (x); */",
		"SELECT \"a\" FROM t WHERE b = 'it''s (;'",
	} {
		got, err := Read(analysis.Text{Name: "q", Source: source})
		if err != nil || !reads(got.Facts) {
			t.Errorf("%s: %s, %v", source, describe(got.Facts), err)
		}
	}
}

// TestTablesOfAll has what holds the content of other tables, and tables that
// are what they are behind any number of names.
func TestTablesOfAll(t *testing.T) {
	has := func(source string, want func(analysis.Fact) bool) {
		t.Helper()
		got, err := Read(analysis.Text{Name: "q", Source: source})
		if err != nil || !slices.ContainsFunc(got.Facts, want) {
			t.Errorf("%s: %s, %v", source, describe(got.Facts), err)
		}
	}
	for _, source := range []string{
		"SELECT schema_to_xml('pg_catalog', true, true, '')", "SELECT * FROM sqlite_dbpage", "SELECT * FROM main.sqlite_dbdata",
		"SELECT * FROM pg_stats", "SELECT * FROM pg_catalog.pg_statistic", "SELECT database_to_xml(true, true, '')",
	} {
		has(source, func(f analysis.Fact) bool { return f.Capability == palisade.CapReadData && f.Unknown })
	}
	for _, source := range []string{"SELECT * FROM db.pg_catalog.pg_shadow", `SELECT * FROM "db"."pg_catalog"."pg_authid"`, "SELECT * FROM def.mysql.user",
		"SHOW primary_conninfo", "SELECT current_setting('Primary_ConnInfo')"} {
		has(source, func(f analysis.Fact) bool { return f.Capability == palisade.CapSecret })
	}
	for _, source := range []string{"SELECT * FROM pragma_optimize", `SELECT * FROM "pragma_optimize" WHERE arg = 1`, "SELECT * FROM main.pragma_incremental_vacuum"} {
		has(source, func(f analysis.Fact) bool { return f.Capability == palisade.CapSideEffect })
	}
}
