package sql

import "sync"

// pure reports whether a function of that name computes its value and does
// nothing else, in one of the dialects.
func pure(name string, d dialect) bool {
	return d&postgresql != 0 && purePostgreSQL()[name] ||
		d&mysql != 0 && pureMySQL()[name] ||
		d&sqlite != 0 && pureSQLite()[name]
}

var (
	purePostgreSQL = sync.OnceValue(func() map[string]bool { return wordSet(postgresqlFunctions) })
	pureMySQL      = sync.OnceValue(func() map[string]bool { return wordSet(mysqlFunctions) })
	pureSQLite     = sync.OnceValue(func() map[string]bool { return wordSet(sqliteFunctions) })
)
