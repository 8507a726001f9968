package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "sql-read-file", Title: "Reads a file of the server", Severity: palisade.High, Capability: palisade.CapReadPath, CWE: 73,
	Says:        "reads a file, with the rights of the server",
	Description: "Files of a database server hold its data, its keys and the passwords of the machine; some engines read a file wherever a table's name could stand.",
	Remedy:      "Have the file loaded into a table by its owner, and query that.",
	Bad: []string{
		"SELECT pg_read_file('/etc/passwd')", "SELECT pg_catalog.pg_read_binary_file($1)", "SELECT * FROM pg_ls_dir('/')", "COPY t FROM '/etc/passwd'",
		"SELECT lo_import('/etc/passwd')", "SELECT load_file('/etc/passwd')", "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t",
		"SELECT * FROM '/etc/passwd'", "SELECT * FROM \"data.csv\"", "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM file('/etc/passwd')",
		"ATTACH '/etc/x' AS x", "SELECT readfile('/etc/passwd')", "\\copy t FROM '/etc/passwd'", ".import /etc/passwd t",
		"CREATE VIRTUAL TABLE v USING csv(filename = '/etc/passwd')",
	},
	Good: []string{"SELECT '/etc/passwd'", "SELECT path, file FROM t", "SELECT 1 FROM t WHERE a LIKE '/etc/%'", "SELECT 'pg_read_file(1)'"},
})

var _ = add(Rule{
	ID: "sql-write-file", Title: "Writes a file of the server", Severity: palisade.Critical, Capability: palisade.CapWritePath, CWE: 73,
	Says:        "writes a file, with the rights of the server",
	Description: "A file that a server writes may be a page that a web server runs, a key, or a library that it loads itself.",
	Remedy:      "Return the rows, and have the program that asked write them.",
	Bad: []string{
		"SELECT 1 INTO OUTFILE '/tmp/x'", "SELECT 1 INTO DUMPFILE '/tmp/x'", "COPY t TO '/tmp/x'", "SELECT lo_export(1, '/tmp/x')",
		"SELECT writefile('/tmp/x', 'y')", "VACUUM INTO '/tmp/x'", "ATTACH 'x.db' AS x", "\\o /tmp/x", "SELECT pg_file_write('x', 'y', true)",
		"CREATE TABLE t (a int) DATA DIRECTORY = '/tmp/x'",
	},
	Good: []string{"SELECT 'INTO OUTFILE'", "SELECT outfile FROM t", "COPY t TO STDOUT", "VACUUM"},
})

var _ = add(Rule{
	ID: "sql-delete-file", Title: "Deletes a file of the server", Severity: palisade.Critical, Capability: palisade.CapDeletePath, CWE: 73,
	Says:        "deletes or moves a file of the server",
	Description: "What is deleted cannot be had back, and a database without one of its files is lost.",
	Remedy:      "Leave the server's files to its administrator.",
	Bad:         []string{"SELECT pg_file_unlink('x')", "SELECT pg_file_rename('a', 'b')"},
	Good:        []string{"SELECT 'pg_file_unlink'", "SELECT unlink FROM t"},
})

var _ = add(Rule{
	ID: "sql-process", Title: "Runs a program on the server", Severity: palisade.Critical, Capability: palisade.CapProcess, CWE: 78,
	Says:        "runs a program on the server or on the client's machine",
	Description: "A program that a database starts has the rights of the database, and nothing of SQL bounds it.",
	Remedy:      "Compute the result in SQL.",
	Bad: []string{
		"COPY t TO PROGRAM 'id'", "COPY t FROM PROGRAM 'id'", "copy/**/t/**/from/**/program/**/'id'", "COPY t FROM PROGRAM U&'\\0069d'",
		"SELECT sys_exec('id')", "SELECT edit('x', 'vi')", "\\! id", "\\copy t TO PROGRAM 'id'", "\\o |id", ".shell id", ".system id",
	},
	Good: []string{"SELECT 'COPY t TO PROGRAM ''id'''", "SELECT program FROM t", "COPY program TO STDOUT"},
})

var _ = add(Rule{
	ID: "sql-native", Title: "Loads native code into the server", Severity: palisade.Critical, Capability: palisade.CapNative, CWE: 829,
	Says:        "loads native code, or code of an untrusted language, into the server",
	Description: "Extensions, libraries and untrusted languages run inside the server's own process.",
	Remedy:      "Have the administrator install what is needed.",
	Bad: []string{
		"CREATE EXTENSION dblink", "LOAD '/tmp/x.so'", "CREATE LANGUAGE plpython3u", "SELECT load_extension('x')", "INSTALL PLUGIN x SONAME 'x.so'",
		"CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS $$ import os $$", "DO LANGUAGE plperlu $$ `id` $$",
		"CREATE FUNCTION f() RETURNS int AS '/tmp/x.so', 'f' LANGUAGE c", "CREATE FUNCTION f RETURNS int SONAME 'x.so'", ".load x",
	},
	Good: []string{"SELECT extname FROM pg_extension", "SELECT load FROM t", "SELECT 'CREATE EXTENSION x'"},
})

var _ = add(Rule{
	ID: "sql-network", Title: "Connects the server to another one", Severity: palisade.High, Capability: palisade.CapNetwork, CWE: 918,
	Says:        "has the server connect to another one",
	Description: "A connection that a database opens goes where its own network reaches, and can carry data out.",
	Remedy:      "Query each server by itself.",
	Bad: []string{
		"SELECT * FROM dblink('host=x', 'SELECT 1') AS x (a int)", "SELECT dblink_connect('x')", "CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw",
		"CREATE SUBSCRIPTION s CONNECTION 'x' PUBLICATION p", "SELECT * FROM url('http://x.example')", "SELECT * FROM 'https://x.example/y.csv'",
		"SELECT * FROM read_parquet('s3://x/y')", "CHANGE MASTER TO MASTER_HOST = 'x'", "SELECT http_get('http://x.example')",
		"CREATE TABLE t (a int) ENGINE=FEDERATED CONNECTION='mysql://x'",
	},
	Good: []string{"SELECT url FROM t WHERE url = 'https://x.example'", "SELECT 'dblink'", "SELECT inet_server_addr()"},
})

var _ = add(Rule{
	ID: "sql-environment", Title: "Uses the server's environment", Severity: palisade.Medium, Capability: palisade.CapEnvironment, CWE: 526,
	Says:        "reads or sets an environment variable of the server",
	Description: "The environment of a server often holds its credentials.",
	Remedy:      "Pass values as parameters of the query.",
	Bad:         []string{"SELECT sys_get('PATH')", "SELECT sys_set('LD_PRELOAD', 'x')", "SELECT getenv('HOME')"},
	Good:        []string{"SELECT 'getenv'", "SELECT current_setting('server_version')"},
})

var _ = add(Rule{
	ID: "sql-evaluate", Title: "Runs text as SQL, or code inside the server", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 89,
	Says:        "runs a string as SQL, or code in another language",
	Description: "What a string or a stored procedure does when it runs cannot be held to what was read of the query.",
	Remedy:      "Write the statement itself.",
	Bad: []string{
		"SELECT query_to_xml('DELETE FROM t', true, true, '')", "DO $$ BEGIN END $$", "CALL p(1)", "EXECUTE p", "PREPARE s FROM 'SELECT 1'",
		"EXECUTE IMMEDIATE 'SELECT 1'", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "SELECT ts_stat('SELECT v FROM t')",
		"SELECT * FROM crosstab('SELECT 1') AS x (a int)", "\\i x.sql", "SELECT 'DROP TABLE t' \\gexec", ".read x.sql",
		"CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM u; END",
	},
	Good: []string{"SELECT xpath('/a', x) FROM t", "SELECT 'query_to_xml'", "SELECT query FROM t", "SELECT executed FROM t"},
})

var _ = add(Rule{
	ID: "sql-computed", Title: "Runs text that is made at run time", Severity: palisade.Critical, Capability: palisade.CapEvaluate, CWE: 89,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindComputed },
	Says:        "runs text that is made when it runs",
	Description: "Nobody has read that text, and it may be anything.",
	Remedy:      "Write the statement itself, with parameters for its values.",
	Bad:         []string{"PREPARE s FROM @x", "EXECUTE IMMEDIATE concat('DROP TABLE ', 't')", "DO $$ BEGIN EXECUTE format('DROP TABLE %I', t); END $$"},
	Good:        []string{"EXECUTE IMMEDIATE 'SELECT 1'", "SELECT format('DROP TABLE %I', a) FROM t", "DO $$ BEGIN EXECUTE 'SELECT 1'; END $$"},
})
