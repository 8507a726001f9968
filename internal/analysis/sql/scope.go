package sql

import (
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// scope is what one query reads from, and the columns that it names.
type scope struct {
	up      *scope
	sources []source
	columns []string
}

// source is a table in a FROM clause, or a query in its place.
type source struct {
	table, alias string
	fact         int // the table's fact; -1: it is a query or a function
	columns      []string
}

// maxColumns bounds the columns that evidence lists for a table.
const maxColumns = 20

func (p *parser) open() { p.scope = &scope{up: p.scope} }

// close gives each table's fact the columns that are read from it. A column
// that could be of more than one table is marked so.
func (p *parser) close() {
	s := p.scope
	p.scope = s.up
	for _, c := range s.columns {
		s.settle(c)
	}
	for _, src := range s.sources {
		if src.fact < 0 || len(src.columns) == 0 {
			continue
		}
		f := &p.r.facts[src.fact]
		f.Evidence = strings.TrimPrefix(f.Evidence+"; columns "+strings.Join(src.columns, ", "), "; ")
	}
}

// settle finds the table of a column, here or in a query around this one.
func (s *scope) settle(column string) {
	i := strings.LastIndexByte(column, '.')
	if i < 0 {
		for n := range s.sources {
			mark := ""
			if len(s.sources) > 1 && column != "*" {
				mark = "?"
			}
			s.sources[n].add(column + mark)
		}
		if len(s.sources) == 0 && s.up != nil {
			s.up.mention(column)
		}
		return
	}
	table, name := column[:i], column[i+1:]
	for n := range s.sources {
		src := &s.sources[n]
		if src.alias == table || src.alias == "" && (src.table == table || strings.HasSuffix(src.table, "."+table)) {
			src.add(name)
			return
		}
	}
	if s.up != nil {
		s.up.mention(column)
	}
}

func (src *source) add(column string) {
	if len(src.columns) < maxColumns && !slices.Contains(src.columns, column) {
		src.columns = append(src.columns, column)
	}
}

// mention notes that the query names a column.
func (s *scope) mention(column string) {
	if s != nil && len(s.columns) < maxFacts {
		s.columns = append(s.columns, column)
	}
}

// secretTables hold what authenticates users: PostgreSQL's manual, chapters 53
// and 54; MySQL's, 8.2.3.
const secretTables = `pg_shadow pg_authid pg_user_mapping pg_user_mappings pg_hba_file_rules pg_ident_file_mappings
	pg_file_settings pg_subscription pg_largeobject mysql.user mysql.global_priv mysql.db mysql.slave_master_info
	mysql.servers mysql.password_history`

// secretTable reports whether a name is one of those, also behind the name of
// the database and of the schema.
func secretTable(name string) bool {
	return slices.ContainsFunc(strings.Fields(secretTables), func(secret string) bool {
		return strings.HasSuffix("."+lower(name), "."+secret)
	})
}

// wholeTables hold the content of all others: pages of the file, samples of
// every column.
const wholeTables = `sqlite_dbpage sqlite_dbdata sqlite_dbptr sqlite_stat4 pg_statistic pg_stats pg_statistic_ext_data pg_stats_ext pg_stats_ext_exprs`

// table adds the fact that a table is read.
func (p *parser) table(at token, name string, aliased string) {
	src := source{table: name, alias: aliased, fact: -1}
	switch {
	case slices.Contains(p.names, name) && at.text == name:
		// a common table expression
	case pathLike(name) && at.kind != word:
		p.readFile(at, name, "FROM", "engines such as DuckDB and ClickHouse read a file in a table's place")
		if p.d == sqlite || at.kind == quoted {
			p.say(at.lo, palisade.CapReadData, "SELECT", name, "")
		}
	default:
		if e := effects()[lower(name)]; p.d == sqlite && isPath(e.does) {
			p.doubt(at.lo, e.does, name, "", "a function in a table's place, whose arguments may stand in WHERE")
		}
		p.reads(at, name)
		src.fact = len(p.r.facts) - 1
		if secretTable(name) {
			p.fact(at.lo, analysis.Fact{Capability: palisade.CapSecret, Symbol: "SELECT", Argument: name,
				Kind: analysis.KindCredentials, Evidence: "a table of credentials or of who may log in"})
		}
	}
	if p.scope != nil && src.fact < len(p.r.facts) {
		p.scope.sources = append(p.scope.sources, src)
	}
}

// reads adds the fact that a table is read, and what that means for a table of
// the server's own.
func (p *parser) reads(at token, name string) {
	last := lower(name[strings.LastIndexByte(name, '.')+1:])
	switch pragma, ok := strings.CutPrefix(last, "pragma_"); {
	case slices.Contains(strings.Fields(wholeTables), last):
		p.doubt(at.lo, palisade.CapReadData, "SELECT", "", name+" holds what stands in other tables")
	case ok && p.d == sqlite && !wordSet(readingPragmas)[pragma] && !wordSet(settingPragmas)[pragma]:
		p.say(at.lo, palisade.CapSideEffect, "PRAGMA", pragma, "a pragma in a table's place")
	default:
		p.say(at.lo, palisade.CapReadData, "SELECT", name, "")
	}
}

// dataFiles end the names of files that engines read as tables.
var dataFiles = [...]string{".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".orc", ".avro", ".xlsx", ".txt", ".db", ".sqlite", ".duckdb", ".gz", ".zst"}

// pathLike reports whether a table's name is a path or an address.
func pathLike(name string) bool {
	if strings.ContainsAny(name, `/\*`) || strings.HasPrefix(name, "~") {
		return true
	}
	for _, suffix := range dataFiles {
		if strings.HasSuffix(lower(name), suffix) {
			return true
		}
	}
	return false
}
