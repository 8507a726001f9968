package sql

import "fmt"

// dialect is a set of SQL dialects; a lexer and a parser work for one of them.
type dialect uint8

const (
	postgresql dialect = 1 << iota
	mysql
	sqlite
)

// dialects gives those that a text must be read as. Text of no named dialect
// is read as each of them, since nobody knows which server will get it.
func dialects(name string) ([]dialect, error) {
	switch name {
	case "":
		return []dialect{postgresql, mysql, sqlite}, nil
	case "postgresql":
		return []dialect{postgresql}, nil
	case "mysql":
		return []dialect{mysql}, nil
	case "sqlite":
		return []dialect{sqlite}, nil
	}
	return nil, fmt.Errorf("the SQL dialect %q is none of postgresql, mysql, sqlite", name)
}

func (d dialect) String() string {
	switch d {
	case postgresql:
		return "PostgreSQL"
	case mysql:
		return "MySQL"
	case sqlite:
		return "SQLite"
	}
	return "SQL"
}
