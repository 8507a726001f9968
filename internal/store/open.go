package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	sqlite "github.com/ncruces/go-sqlite3/driver"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
	"golang.org/x/sys/unix"
)

// openSQLite opens a database file, made for its owner alone. Until unlock is
// called no other process gets past it: two that make the file at once would
// both migrate it.
func openSQLite(ctx context.Context, file string) (*sql.DB, dialect, func(), error) {
	d := dialect{name: "sqlite", goose: database.DialectSQLite3, oneWriter: true, maxArgs: 10_000}
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, d, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, d, nil, err
	}
	if err := private(file); err != nil {
		return nil, d, nil, err
	}
	guard, err := os.OpenFile(file+".lock", os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, d, nil, err
	}
	if err := flock(ctx, guard); err != nil {
		return nil, d, nil, errors.Join(err, guard.Close())
	}
	unlock := func() { guard.Close() }
	// The file can be made again, so that a commit need not wait for the disk;
	// WAL lets queries go on beside a writer.
	name := (&url.URL{Scheme: "file", OmitHost: true, Path: file}).String() +
		"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=trusted_schema(off)"
	db, err := sqlite.Open(name)
	if err != nil {
		unlock()
		return nil, d, nil, err
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4) // opening one takes longer than most queries
	if err := db.PingContext(ctx); err != nil {
		unlock()
		return nil, d, nil, errors.Join(fmt.Errorf("%s: %w", file, err), db.Close())
	}
	return db, d, unlock, nil
}

// private makes a file that only its owner can read and write, and refuses one
// that is there and is not. So it does with the file's folder, where SQLite puts
// files beside it as it likes.
func private(file string) error {
	folder, err := os.Stat(filepath.Dir(file))
	if err != nil {
		return err
	}
	if folder.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s: want a folder that only its owner can enter (chmod 700), not %v", filepath.Dir(file), folder.Mode())
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s: want a file that only its owner can read (chmod 600), not %v", file, info.Mode())
	}
	return nil
}

// flock takes an exclusive lock, and waits for it up to ten seconds.
func flock(ctx context.Context, f *os.File) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("another process is opening the index"))
	defer cancel()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// pgLock is a number for PostgreSQL's advisory locks: it names rebuilds of the
// index, within one database.
const pgLock = "7809929127481344"

func openPostgres(ctx context.Context, dsn string) (*sql.DB, dialect, error) {
	d := dialect{
		name: "postgres", goose: database.DialectPostgres, numbered: true, maxArgs: 30_000, forWrite: " FOR UPDATE",
		lock: "SELECT pg_advisory_xact_lock(" + pgLock + ")", share: "SELECT pg_advisory_xact_lock_shared(" + pgLock + ")",
	}
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, d, errors.New("the PostgreSQL DSN does not read") // not quoted: it may hold a password
	}
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(8)
	db.SetConnMaxLifetime(time.Hour)
	ctx, cancel := context.WithTimeoutCause(ctx, 15*time.Second, errors.New("PostgreSQL does not answer within 15 s"))
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		return nil, d, errors.Join(fmt.Errorf("PostgreSQL: %w", err), db.Close())
	}
	return db, d, nil
}

// locker keeps two processes from migrating at once, where the database does.
func (d dialect) locker() (lock.SessionLocker, error) {
	if d.name != "postgres" {
		return nil, nil
	}
	return lock.NewPostgresSessionLocker()
}
