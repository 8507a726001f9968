package rules

import (
	"testing"

	"palisade"
)

func (j judge) decideQuery(src string) palisade.Verdict {
	j.t.Helper()
	return j.program("query", palisade.SQL, src)
}

// TestSQLNeighbors holds neighbors of each reported technique to the same.
func TestSQLNeighbors(t *testing.T) {
	j := newJudge(t)
	for technique, sources := range map[string][]string{
		"a path in a table's place": {
			"SELECT * FROM \"/etc/passwd\"", "SELECT * FROM `/etc/passwd`", "SELECT a FROM t JOIN 'x.parquet' ON true", "SELECT * FROM 's3://b/x'",
			"WITH x AS (SELECT * FROM '/etc/passwd') SELECT * FROM x", "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM 'data/*.csv'",
		},
		"a string that is run": {
			"SELECT query_to_xmlschema('DELETE FROM t', true, true, '')", "SELECT ts_stat('SELECT f() FROM t')", "SELECT pg_catalog.query_to_xml($1, true, true, '')",
			"SELECT * FROM dblink('', 'DELETE FROM t') AS x (a int)", "SELECT xmlparse(content query_to_xml('DELETE FROM t', true, true, '')::text)",
			"SELECT table_to_xml('t', true, true, '') , cursor_to_xml('c', 1, true, true, '')", "PREPARE s FROM 'DELETE FROM t'",
		},
		"an escaped string or name": {
			"SELECT set_config(E's\\145arch_path', 'x', false)", "SELECT U&\"set_c\\006fnfig\"('a', 'b', false)", "SELECT set_config(U&'s!0065arch_path' UESCAPE '!', 'x', false)",
			"SELECT \"set_config\"('a', 'b', false)", "SELECT pg_catalog . set_config ( 'a', 'b', false )", "SELECT SET_CONFIG('a', 'b', false)",
		},
		"a file written by a SELECT": {
			"SELECT * FROM t INTO DUMPFILE '/tmp/x'", "SELECT a FROM t LIMIT 1 INTO OUTFILE '/tmp/x' LINES TERMINATED BY 'x'", "(SELECT 1) INTO OUTFILE '/tmp/x'",
			"SELECT 1 UNION SELECT 2 INTO OUTFILE '/tmp/x'", "SELECT 1/*!50000INTO*//*!50000OUTFILE*/'/tmp/x'", "SELECT 1 INTO @x", "SELECT 1 AS a INTO t",
		},
		"a second statement": {
			"SELECT 1;DROP TABLE t", "SELECT 1; -- x\nDROP TABLE t", "SELECT ';'; DROP TABLE t", "SELECT 1 /* ; */; DELETE FROM t;", "COMMIT; DROP TABLE t", "; DROP TABLE t",
			"SELECT $$ ; $$; DROP TABLE t", "SELECT 1 /* /* */ ; DROP TABLE t -- */ */", "SELECT 'a\\'; DROP TABLE t; --'", "SELECT 1 # x\n; DROP TABLE t", "EXPLAIN SELECT 1; DROP TABLE t",
		},
		"COPY": {
			"COPY (SELECT 1) TO PROGRAM 'id'", "COPY t FROM PROGRAM $$id$$", "copy\nt\nto\nprogram\n'id'", "COPY BINARY t TO '/tmp/x'", "\\copy t to program 'id'",
			"EXPLAIN ANALYZE SELECT 1; COPY t TO PROGRAM 'id'", "COPY (DELETE FROM t RETURNING *) TO STDOUT",
		},
		"writing inside reading": {
			"WITH x AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM x", "SELECT * FROM (WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x) y",
			"WITH a AS (SELECT 1), b AS (INSERT INTO t SELECT * FROM a RETURNING *) SELECT count(*) FROM b", "EXPLAIN (ANALYZE) DELETE FROM t", "EXPLAIN ANALYZE EXECUTE p",
			"SELECT a FROM t WHERE b = (WITH x AS (DELETE FROM u RETURNING 1) SELECT 1)", "SELECT * FROM t FOR UPDATE", "TABLE t FOR SHARE",
		},
	} {
		for _, source := range sources {
			if v := j.decideQuery(source); v.Decision != palisade.Deny {
				t.Errorf("%s: %s\n%s%s", technique, v.Decision, source, why(v))
			}
		}
	}
}

// TestQueriesAllowed has queries as people and models write them.
func TestQueriesAllowed(t *testing.T) {
	j := newJudge(t)
	for _, source := range []string{
		"SELECT name, count(*) AS n FROM customers GROUP BY name HAVING count(*) > 3 ORDER BY n DESC LIMIT 10;",
		"-- the best months\nWITH m AS (SELECT date_trunc('month', o.created_at) AS month, sum(o.total) AS total FROM orders o GROUP BY 1)\nSELECT month, total, rank() OVER (ORDER BY total DESC) FROM m",
		"SELECT c.name, COALESCE(SUM(o.total), 0) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status <> 'cancelled' GROUP BY c.id, c.name",
		"SELECT DATE_FORMAT(created_at, '%Y-%m') AS m, GROUP_CONCAT(DISTINCT sku ORDER BY sku SEPARATOR ', ') FROM `orders` WHERE created_at >= DATE_SUB(NOW(), INTERVAL 6 MONTH) GROUP BY m",
		"SELECT strftime('%Y', d) AS y, total(amount) FROM payments WHERE note LIKE '%delete%' GROUP BY y",
		"SELECT data->>'city' AS city, jsonb_array_length(data->'tags') FROM events WHERE data @> '{\"kind\": \"drop\"}'",
		"SELECT * FROM a WHERE id IN (SELECT a_id FROM b UNION SELECT a_id FROM c) AND EXISTS (SELECT 1 FROM d WHERE d.a_id = a.id)",
		"SELECT CASE WHEN age < 18 THEN 'minor' WHEN age < 65 THEN 'adult' ELSE 'senior' END AS bracket, avg(income)::numeric(10,2) FROM people GROUP BY bracket",
		"SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
		"EXPLAIN SELECT * FROM t", "SHOW TABLES", "VALUES (1), (2)", "SELECT 1; SELECT 2;",
	} {
		if v := j.decideQuery(source); v.Decision != palisade.Allow {
			t.Errorf("%s\n%s%s", v.Decision, source, why(v))
		}
	}
}
