package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	mysqlparser "github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver"
	postgresqlparser "github.com/wasilibs/go-pgquery/parser"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/sql"
)

// sources reads a file of the reader's testdata: each line's dialect and source.
func sources(t *testing.T, file string) (out [][2]string) {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		dialect, rest, _ := strings.Cut(line, " | ")
		if file == "statements.txt" {
			_, rest, _ = strings.Cut(rest, " | ")
		}
		out = append(out, [2]string{dialect, rest})
	}
	if len(out) == 0 {
		t.Fatalf("%s is empty", file)
	}
	return out
}

// onlyReads reports whether the reader takes a text and finds nothing but
// reading in it.
func onlyReads(dialect, source string) bool {
	got, err := sql.Read(analysis.Text{Dialect: dialect, Source: source})
	return err == nil && !slices.ContainsFunc(got.Facts, func(f analysis.Fact) bool { return f.Capability != palisade.CapReadData })
}

// server is a server's own parser: what it says that a text does, or that it
// does not take it.
type server func(source string) (effects []string, accepted bool)

func servers(t *testing.T) map[string]server {
	return map[string]server{"postgresql": askPostgreSQL, "mysql": askMySQL(), "sqlite": askSQLite(t)}
}

// askPostgreSQL gives the statements of PostgreSQL's own tree that are not
// queries, and the functions that are not known to be pure.
func askPostgreSQL(source string) (effects []string, accepted bool) {
	out, err := postgresqlparser.ParseToJSON(source)
	if err != nil {
		return nil, false
	}
	var tree any
	if json.Unmarshal([]byte(out), &tree) != nil {
		return nil, false
	}
	// COPY … TO STDOUT is a way to read, and its other forms are other cases.
	harmless := []string{"SelectStmt", "RawStmt", "ExplainStmt", "VariableShowStmt", "CopyStmt"}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for k, e := range v {
				fields, _ := e.(map[string]any)
				switch {
				case k == "intoClause" || k == "lockingClause":
					effects = append(effects, k)
				case k == "CopyStmt" && (fields["is_program"] != nil || fields["filename"] != nil || fields["is_from"] != nil):
					effects = append(effects, k)
				case k == "FuncCall":
					if name := functionName(fields["funcname"]); !harmlessCall(name, "postgresql") {
						effects = append(effects, name)
					}
				case strings.HasSuffix(k, "Stmt") && fields != nil && !slices.Contains(harmless, k):
					effects = append(effects, k)
				}
				walk(e)
			}
		}
	}
	walk(tree)
	return effects, true
}

// harmlessCall reports whether the reader takes a function for one without an
// effect. In trees operators and literals are functions too.
func harmlessCall(name, dialect string) bool {
	return onlyReads(dialect, "SELECT "+name+"()") || strings.Contains(name, "literal") ||
		slices.Contains([]string{"extract", "like_escape", "is_normalized", "json_memberof", "->", "->>"}, name)
}

func functionName(parts any) string {
	var names []string
	list, _ := parts.([]any)
	for _, p := range list {
		node, _ := p.(map[string]any)["String"].(map[string]any)
		s, _ := node["sval"].(string)
		names = append(names, s)
	}
	return strings.TrimPrefix(strings.Join(names, "."), "pg_catalog.")
}

// askMySQL gives the same of TiDB's tree, whose parser is MySQL's in Go.
func askMySQL() server {
	p := mysqlparser.New()
	return func(source string) (effects []string, accepted bool) {
		list, _, err := p.ParseSQL(source)
		if err != nil {
			return nil, false
		}
		for _, s := range list {
			switch s := s.(type) {
			case *ast.SelectStmt:
				if s.SelectIntoOpt != nil || s.LockInfo != nil && s.LockInfo.LockType != ast.SelectLockNone {
					effects = append(effects, "INTO or FOR UPDATE")
				}
			case *ast.SetOprStmt, *ast.ShowStmt, *ast.ExplainStmt:
			default:
				effects = append(effects, ast.GetStmtLabel(s))
			}
			s.Accept(functionsOf{&effects})
		}
		return effects, true
	}
}

type functionsOf struct{ effects *[]string }

func (f functionsOf) Enter(n ast.Node) (ast.Node, bool) {
	if c, ok := n.(*ast.FuncCallExpr); ok {
		name := strings.TrimSuffix(c.FnName.L, "_func") // TiDB's names for char() and insert()
		if !harmlessCall(name, "mysql") {
			*f.effects = append(*f.effects, name)
		}
	}
	return n, false
}

func (f functionsOf) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// askSQLite gives what SQLite's authorizer is asked for, in a database that has
// the tables of testdata.
func askSQLite(t *testing.T) server {
	c, err := sqlite3.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, table := range strings.Fields("t u v x s n o") {
		if err := c.Exec("CREATE TABLE " + table + " (a, b, c, d, e, f, i, j, id, name, key, value, type)"); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Exec("CREATE INDEX i ON t (a); CREATE TABLE w (a)"); err != nil {
		t.Fatal(err)
	}
	var asked []string
	err = c.SetAuthorizer(func(action sqlite3.AuthorizerActionCode, name, second, _, _ string) sqlite3.AuthorizerReturnCode {
		switch action {
		case sqlite3.AUTH_SELECT, sqlite3.AUTH_READ, sqlite3.AUTH_RECURSIVE:
		case sqlite3.AUTH_FUNCTION:
			if !harmlessCall(strings.ToLower(second), "sqlite") {
				asked = append(asked, second)
			}
		case sqlite3.AUTH_PRAGMA:
			if statement := "PRAGMA " + name; second == "" && !onlyReads("sqlite", statement) || second != "" && !onlyReads("sqlite", statement+"(x)") {
				asked = append(asked, statement)
			}
		default:
			asked = append(asked, fmt.Sprint("action ", action))
		}
		return sqlite3.AUTH_OK
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(source string) (effects []string, accepted bool) {
		asked = nil
		for rest := source; strings.TrimSpace(rest) != ""; {
			stmt, tail, err := c.Prepare(rest) // prepared, never run
			if err != nil {
				return nil, false
			}
			if stmt == nil && tail == rest {
				break
			}
			_ = stmt.Close()
			rest = tail
		}
		return asked, true
	}
}

// TestOracle holds testdata to the servers' parsers: what is called a query
// there is one, and what their trees do is seen.
func TestOracle(t *testing.T) {
	for dialect, ask := range servers(t) {
		for _, l := range sources(t, "queries.txt") {
			if l[0] != dialect {
				continue
			}
			if effects, accepted := ask(l[1]); len(effects) > 0 || !accepted && !strings.Contains(unknownToOracle, l[1]) {
				t.Errorf("%s: %s: accepted %v, effects %v", dialect, l[1], accepted, effects)
			}
		}
	}
}

// unknownToOracle are queries of testdata that the parser of the test does not
// take, though its server does.
const unknownToOracle = `SELECT * FROM json_table('[]', '$[*]' COLUMNS (i FOR ORDINALITY, a varchar(10) PATH '$.a' DEFAULT '0' ON EMPTY)) AS j`

// pieces are what mutants are made of, beside the parts of testdata.
var pieces = strings.Split("'|''|\"|\\|--|-- |/*|*/|/*!|$$|$a$|E'|U&'|;|(|)|\n|`|#|@|:=|::|.|,|*|[|]|DELETE FROM t|INTO n|FOR UPDATE|nextval('s')|f(1)|UNION SELECT|"+
	"FROM|WITH y AS (DELETE FROM t RETURNING *)|INSERT INTO t VALUES (1)|IN|TABLE t|CASE|END|OPERATOR(|LATERAL|UESCAPE '!'|N'|_utf8|OFFSET|load_extension('x')", "|")

// TestMutants breaks testdata in ways that a seed decides, and asks the
// servers' parsers about what comes out: where they take a mutant and we call
// it reading, their tree must have no more in it than that.
// PALISADE_MUTATE=10m makes it longer, with another seed each time.
func TestMutants(t *testing.T) {
	budget, seed := 2*time.Second, uint64(1)
	if d, err := time.ParseDuration(os.Getenv("PALISADE_MUTATE")); err == nil {
		budget, seed = d, uint64(time.Now().UnixNano())
	}
	var corpus [][]string
	for _, l := range append(sources(t, "statements.txt"), sources(t, "queries.txt")...) {
		corpus = append(corpus, strings.SplitAfter(l[1], " "))
	}
	for dialect, ask := range servers(t) {
		r := rand.New(rand.NewPCG(seed, 7))
		both, read := 0, 0
		ask("SELECT 1") // PostgreSQL's parser is compiled first
		for start := time.Now(); time.Since(start) < budget/3 || read == 0 && time.Since(start) < time.Minute; {
			source := mutant(r, corpus)
			if strings.ContainsRune(source, 0) {
				continue
			}
			effects, accepted := ask(source)
			if !accepted {
				continue
			}
			both++
			if !onlyReads(dialect, source) {
				continue
			}
			read++
			if len(effects) > 0 {
				t.Errorf("%s: %q only reads, it says %q", dialect, source, effects)
			}
		}
		if read == 0 {
			t.Errorf("%s: no mutant was read", dialect)
		}
		t.Logf("%s: its parser took %d mutants, of which %d only read", dialect, both, read)
	}
}

func mutant(r *rand.Rand, corpus [][]string) string {
	parts := slices.Clone(corpus[r.IntN(len(corpus))])
	for range 1 + r.IntN(4) {
		other := corpus[r.IntN(len(corpus))]
		i, j := r.IntN(len(parts)+1), r.IntN(len(other))
		switch r.IntN(4) {
		case 0:
			parts = slices.Delete(parts, i, min(i+1, len(parts)))
		case 1:
			parts = slices.Insert(parts, i, pieces[r.IntN(len(pieces))])
		case 2:
			parts = slices.Insert(parts, i, " "+pieces[r.IntN(len(pieces))]+" ")
		case 3:
			parts = slices.Insert(parts, i, other[j:min(len(other), j+1+r.IntN(6))]...)
		}
	}
	return strings.Join(parts, "")
}
