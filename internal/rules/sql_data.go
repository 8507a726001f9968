package rules

import "palisade"

var _ = add(Rule{
	ID: "sql-read-data", Title: "Reads a table", Severity: palisade.Info, Capability: palisade.CapReadData,
	Says:        "reads a table",
	Description: "Policy says which tables a query may read. Behind a view's name anything may stand.",
	Remedy:      "Name the tables that the question is about.",
	Bad: []string{
		"SELECT a FROM t", "WITH x AS (SELECT a FROM t) SELECT * FROM x", "SELECT (SELECT max(a) FROM t)", "TABLE t", "SHOW TABLES",
		"SELECT 1 WHERE EXISTS (SELECT 1 FROM t)", "INSERT INTO u SELECT a FROM t", "COPY t TO STDOUT", "PRAGMA table_info(t)",
	},
	Good: []string{"SELECT 1", "SELECT 'FROM t'", "VALUES (1, 2)", "WITH t AS (SELECT 1) SELECT * FROM t", "SELECT 1 -- FROM t"},
})

var _ = add(Rule{
	ID: "sql-secret", Title: "Reads a table of credentials", Severity: palisade.Critical, Capability: palisade.CapSecret, CWE: 522,
	Says:        "reads a table of credentials or of who may log in",
	Description: "The server's own tables of users hold password hashes, keys and the passwords of other servers.",
	Remedy:      "Ask for the names of users in pg_roles or information_schema.",
	Bad: []string{
		"SELECT * FROM pg_shadow", "SELECT rolpassword FROM pg_catalog.pg_authid", "SELECT authentication_string FROM mysql.user",
		"SELECT * FROM PG_SHADOW", "SELECT query_to_xml('SELECT * FROM pg_shadow', true, true, '')",
		"SELECT * FROM (SELECT passwd FROM U&\"pg_sh\\0061dow\") x",
	},
	Good: []string{"SELECT rolname FROM pg_roles", "SELECT * FROM users", "SELECT 'pg_shadow'"},
})

var _ = add(Rule{
	ID: "sql-write-data", Title: "Changes data", Severity: palisade.Medium, Capability: palisade.CapWriteData,
	Says:        "changes the data of a table",
	Description: "What is overwritten or deleted cannot be had back from the database.",
	Remedy:      "Select the rows, and leave changing them to a person.",
	Bad: []string{
		"DELETE FROM t", "INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "MERGE INTO t USING u ON t.i = u.i WHEN MATCHED THEN DELETE",
		"TRUNCATE t", "REPLACE INTO t VALUES (1)", "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "EXPLAIN ANALYZE DELETE FROM t",
		"SELECT 1; /* x */ DROP TABLE t", "SELECT a INTO n FROM t", "COPY t FROM STDIN", "LOAD DATA INFILE '/x' INTO TABLE t",
		"SELECT lo_unlink(1)", "DO $$ BEGIN DELETE FROM t; END $$",
	},
	Good: []string{"SELECT 'DELETE FROM t'", "SELECT a AS \"delete\" FROM t", "SELECT deleted, updated FROM t", "SELECT replace(a, 'x', 'y') FROM t"},
})

var _ = add(Rule{
	ID: "sql-schema", Title: "Changes a schema", Severity: palisade.High, Capability: palisade.CapSchema,
	Says:        "changes what the database is made of",
	Description: "Tables, views, functions and triggers are what every other program of the database relies on.",
	Remedy:      "Leave changes of the schema to migrations.",
	Bad: []string{
		"CREATE TABLE t (a int)", "DROP TABLE t", "ALTER TABLE t ADD c int", "CREATE INDEX i ON t (a)", "CREATE VIEW v AS SELECT 1",
		"SELECT 1 INTO t", "PRAGMA writable_schema = 1", "SELECT 1 /*!50000 ; DROP TABLE t */", "COMMIT; DROP SCHEMA public CASCADE",
		"SELECT * FROM dblink('x', 'DROP TABLE t') AS x (a int)", "PREPARE s FROM 'DROP TABLE t'",
	},
	Good: []string{"SELECT 'CREATE TABLE t (a int)'", "SELECT created FROM t", "SELECT \"drop\" FROM t", "PRAGMA table_info(t)"},
})

var _ = add(Rule{
	ID: "sql-privilege", Title: "Changes rights", Severity: palisade.Critical, Capability: palisade.CapPrivilege, CWE: 269,
	Says:        "changes users, roles or rights, or who the session is",
	Description: "A right that is granted stays after the query, and a session that is someone else reads what it should not.",
	Remedy:      "Leave users and rights to the database's administrator.",
	Bad: []string{
		"GRANT ALL ON t TO r", "REVOKE SELECT ON t FROM r", "CREATE ROLE r SUPERUSER", "ALTER USER u WITH PASSWORD 'x'", "SET ROLE postgres",
		"SET SESSION AUTHORIZATION postgres", "RESET ROLE", "DROP OWNED BY r", "CREATE POLICY p ON t USING (true)", "ALTER TABLE t OWNER TO r",
		"CREATE FUNCTION f() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'", "ALTER SYSTEM SET archive_command = 'id'",
		"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC",
	},
	Good: []string{"SELECT has_table_privilege('t', 'SELECT')", "SELECT role FROM t", "SELECT granted FROM t", "SELECT current_role"},
})
