package store

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"palisade"
)

// Record is one entry of the log with its payload.
type Record struct {
	Index int64
	Run   string
	Kind  palisade.EventKind
	Time  time.Time
	Size  int64 // bytes of the payload
	// Data is the payload, JSON. Nil when it is no longer kept.
	Data json.RawMessage
}

// View is the log as it was at one size.
type View interface {
	// Origin names the log.
	Origin() string
	// Size is the number of entries.
	Size() int64
	// RootAt is the root of the tree over the first so many entries.
	RootAt(size int64) (string, error)
	// Records gives the records from index from on. The first error ends it.
	Records(from int64) iter.Seq2[Record, error]
}

// Log is the record that the index follows.
type Log interface {
	// Snapshot returns the log as it is now; the view stays good.
	Snapshot(ctx context.Context) (View, error)
	// Append puts an event on the log, durably.
	Append(ctx context.Context, e palisade.Event) error
}

// Errors on which a caller may act.
var (
	// ErrNoCaller: a query was asked by nobody.
	ErrNoCaller = errors.New("the index answers nobody who did not say who they are")
	// ErrNotFound: there is nothing so named that the caller may see.
	ErrNotFound = errors.New("not found")
	// ErrCursor: a page's cursor is not one that was given out.
	ErrCursor = errors.New("not a cursor of this list")
	// ErrOtherLog: the database is the index of another log.
	ErrOtherLog = errors.New("the database is the index of another log")
	// ErrHistory: the log no longer has the entries that were indexed.
	ErrHistory = errors.New("the log is not the one that was indexed")
	// ErrRole: the caller does not have the role that it takes.
	ErrRole = errors.New("the caller does not have the role that this takes")
	// ErrName: an idempotency key is not of the form that it has to be.
	ErrName = errors.New("an idempotency key is 1 to 255 visible ASCII characters")
	// ErrReused: the idempotency key was used for another request.
	ErrReused = errors.New("the idempotency key was used for another request")
)

// Config says where the index is. Log and Now are required, and one of File and
// DSN.
type Config struct {
	// File is the SQLite database, made with mode 0600 on first use.
	File string
	// DSN names a PostgreSQL database, as a URL or as key=value. It goes before
	// File.
	DSN string
	Log Log
	Now func() time.Time
	// Retention is how long an idempotency key is remembered. Zero: 24 h.
	Retention time.Duration
	// Logger is for operators. Nil: none.
	Logger *slog.Logger
}

const defaultRetention = 24 * time.Hour

// Store is the index. It is safe for use by many goroutines, and other processes
// may use the same database.
type Store struct {
	c  Config
	db *sql.DB
	d  dialect

	// Asked for every request, some more than once: parsing them takes longer than
	// answering.
	keyByID, keySecrets *sql.Stmt

	writing sync.Mutex // of SQLite, which has one writer: who waits for it holds no connection
	syncing sync.Mutex // one follower at a time in this process
	checked bool       // the log has the history that was indexed; guarded by syncing
}

// dialect is what differs between the databases.
type dialect struct {
	name      string
	goose     goose.Dialect
	numbered  bool // parameters are $1, $2, …
	oneWriter bool
	lock      string // keeps claims out of a rebuild, in the transaction that runs it
	share     string // keeps a rebuild out of a claim
	forWrite  string // what a SELECT ends with to lock its rows
	maxArgs   int    // parameters of one statement
}

// Open opens the index, and makes or migrates the database. It reads nothing of
// the log yet: see Sync.
func Open(ctx context.Context, c Config) (*Store, error) {
	if c.Log == nil || c.Now == nil || c.File == "" && c.DSN == "" {
		return nil, errors.New("index: a part of its configuration is missing")
	}
	if c.Retention <= 0 {
		c.Retention = defaultRetention
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{c: c}
	var err error
	var unlock func()
	if c.DSN != "" {
		s.db, s.d, err = openPostgres(ctx, c.DSN)
		unlock = func() {}
	} else {
		s.db, s.d, unlock, err = openSQLite(ctx, c.File)
	}
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	err = s.migrate(ctx)
	unlock()
	if err == nil {
		err = s.prepareKeys(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open index: %w", err), s.db.Close())
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

//go:embed migrations/*.sql
var migrations embed.FS

func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	versions, err := database.NewStore(s.d.goose, "index_migrations")
	if err != nil {
		return err
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithStore(versions)}
	locker, err := s.d.locker()
	if err != nil {
		return err
	}
	if locker != nil {
		options = append(options, goose.WithSessionLocker(locker))
	}
	p, err := goose.NewProvider("", s.db, files, options...)
	if err != nil {
		return err
	}
	current, newest, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	switch {
	case current == newest:
		return nil
	case current > newest:
		return fmt.Errorf("the database was made by a newer Palisade (version %d, this one knows %d): use that one, or another database", current, newest)
	}
	_, err = p.Up(ctx)
	return err
}

// sql writes a statement in the database's own form: ? becomes $1, $2, ….
func (s *Store) sql(statement string) string {
	if !s.d.numbered {
		return statement
	}
	var b strings.Builder
	n := 0
	for _, r := range statement {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
	return b.String()
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// within runs f in a transaction that no other writer of these rows can pass.
func (s *Store) within(ctx context.Context, f func(tx *sql.Tx) error) error {
	if s.d.oneWriter {
		s.writing.Lock()
		defer s.writing.Unlock()
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// collect reads all rows of a query.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// nanos and moment are times as the database holds them.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func moment(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}
