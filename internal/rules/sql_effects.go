package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "sql-side-effect", Title: "Changes the server's or the session's state", Severity: palisade.Medium, Capability: palisade.CapSideEffect,
	Says:        "changes the state of the server, of the session or of its transaction",
	Description: "Settings, locks, sequences and transactions outlive a query: COMMIT ends the read-only transaction that should have held it, and a search path decides which functions it calls.",
	Remedy:      "Ask for rows only.",
	Bad: []string{
		"SET search_path = evil", "SELECT set_config(U&'s\\0065arch_path', 'x', false)", "SELECT nextval('s')", "SELECT setval('s', 1)",
		"SELECT pg_sleep(10)", "SELECT sleep(10)", "SELECT benchmark(1000000, md5('x'))", "SELECT pg_advisory_lock(1)", "SELECT * FROM t FOR UPDATE",
		"SELECT * FROM t LOCK IN SHARE MODE", "SELECT pg_terminate_backend(1)", "SELECT (t).pg_reload_conf FROM t", "COMMIT", "BEGIN", "ROLLBACK",
		"LOCK TABLE t", "NOTIFY c", "VACUUM", "KILL 1", "SET GLOBAL x = 1", "SELECT @x := 1", "SELECT a INTO @x FROM t", "HANDLER t OPEN",
		"PRAGMA journal_mode = OFF", "ATTACH ':memory:' AS x", "PREPARE p AS SELECT 1", "DISCARD ALL", "SELECT /*+ SET_VAR(x = 1) */ 1",
	},
	Good: []string{
		"SELECT 'pg_sleep(1)'", "SELECT now(), random()", "SELECT sleep, nextval FROM t", "SELECT currval('s')", "SELECT @x", "PRAGMA journal_mode",
		"SELECT lower(a), count(*) OVER (ORDER BY b) FROM t",
	},
})

var _ = add(Rule{
	ID: "sql-unknown-function", Title: "Calls a function that is not known", Severity: palisade.Medium, Capability: palisade.CapSideEffect,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindName },
	Says:        "calls a function that may do anything",
	Description: "The function is not one of the server's own that only compute a value. A database's own functions can do whatever their author could.",
	Remedy:      "Use the server's own functions, unqualified.",
	Bad: []string{
		"SELECT my_function(1)", "SELECT app.lower('x')", "SELECT * FROM my_table_function(1)", "SELECT \"LOWER\"('x')", "SELECT a FROM t ORDER BY f(a)",
		"SELECT count(*) FILTER (WHERE f(a)) FROM t", "UPDATE t SET a = f(b)",
	},
	Good: []string{"SELECT lower('x')", "SELECT pg_catalog.lower('x')", "SELECT date_format(d, '%Y') FROM t", "SELECT strftime('%Y', d) FROM t", "SELECT a FROM t WHERE b IN (1)"},
})

var _ = add(Rule{
	ID: "sql-obfuscation", Title: "Reads otherwise to another server", Severity: palisade.High, Capability: palisade.CapObfuscation, CWE: 506,
	Says:        "is something else for another version or setting of the server",
	Description: "Text in a version comment runs on some servers and not on others, and a backslash before a quote ends a string or does not: what is read here may not be what runs.",
	Remedy:      "Write what should run without version comments, and quotes in strings as two quotes.",
	Bad:         []string{"SELECT 1 /*!50000 + 1 */", "/*!50000 SELECT 1 */", "SELECT /*M! 1, */ 2", `SELECT 'a\'; DROP TABLE t; -- '`, `SELECT 'a\' OR 1 = 1 -- '`},
	Good:        []string{"SELECT 1 /* !50000 */", "SELECT /*+ MAX_EXECUTION_TIME(1) */ 1", `SELECT 'C:\dir'`, "SELECT 'it''s'"},
})

var _ = add(Rule{
	ID: "sql-unresolved", Title: "Holds something that could not be read", Severity: palisade.High, Capability: palisade.CapUnresolved,
	Says:        "holds something that could not be read",
	Description: "A string that the server runs as SQL, or code in a language that is not read here, may do anything.",
	Remedy:      "Write the statement itself.",
	Bad:         []string{"SELECT query_to_xml('no such statement', true, true, '')", "DO LANGUAGE plperl $$ spi_exec_query('x') $$", "PREPARE s FROM 'no such statement'"},
	Good:        []string{"SELECT query_to_xml('SELECT 1', true, true, '')", "SELECT 'no such statement'"},
})
