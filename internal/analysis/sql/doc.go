// Package sql says what SQL could do to a database and its server: for
// PostgreSQL, MySQL and SQLite, and for a text of no named dialect as each of
// the three, since nobody knows which server will get it.
//
// A query is read strictly, by a grammar of queries alone: a text gives nothing
// but read_data only where every token of it belongs to that grammar and every
// function that it calls is in a table of functions without effects. Any other
// statement is known by its verb and read loosely: its effect is a fact, and so
// is every query, table, function and file named inside it. Strings that a
// server runs as SQL (query_to_xml, PREPARE … FROM, DO) are read in turn.
//
// It promises, for every text, an answer within bounds of depth, steps and
// facts, without running or opening anything; a statement that it does not know
// is a [analysis.SyntaxError]. It does not know the database: a table may be a
// view, an operator or a cast may be the database's own, a function of its own
// may carry a name that is harmless elsewhere, and PostgreSQL calls one that is
// written as a column of a row. What bounds those is the rights of the
// connection.
package sql
