package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Server is a real PostgreSQL, started when the first database is asked for. The
// zero value is ready.
type Server struct {
	once   sync.Once
	dir    string
	cmd    *exec.Cmd
	err    error
	number atomic.Int64
}

// Main runs a package's tests and ends the server.
func (s *Server) Main(m *testing.M) int {
	code := m.Run()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGQUIT)
		_ = s.cmd.Wait()
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
	return code
}

// Database returns the DSN of a new, empty database. Where PostgreSQL does not start
// the test is skipped, or fails where PALISADE_REQUIRE names postgres.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	s.once.Do(func() { s.err = s.start() })
	if s.err != nil {
		if slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), "postgres") {
			t.Fatalf("PostgreSQL is required: %v", s.err)
		}
		t.Skipf("PostgreSQL does not start here (scripts/deps.sh test installs it): %v", s.err)
	}
	name := fmt.Sprintf("index%d", s.number.Add(1))
	db, err := sql.Open("pgx", s.dsn("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only asked
	if _, err := db.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	return s.dsn(name)
}

func (s *Server) dsn(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {s.dir}, "user": {"palisade"}}.Encode()
}

// start makes a cluster and serves it. PostgreSQL refuses to be root: it
// is run as a user who has nothing then.
func (s *Server) start() error {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(bins) == 0 {
		return fmt.Errorf("no PostgreSQL in /usr/lib/postgresql")
	}
	bin := bins[len(bins)-1]
	dir, err := os.MkdirTemp("", "palisade-pg-")
	if err != nil {
		return err
	}
	s.dir = dir
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() == 0 {
		who, err := user.Lookup("postgres")
		if err != nil {
			if who, err = user.Lookup("nobody"); err != nil {
				return err
			}
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	run := func(ctx context.Context, name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join(bin, name), args...)
		cmd.SysProcAttr, cmd.Dir, cmd.Stdout, cmd.Stderr = attr, dir, &out, &out
		cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin", "TZ=UTC"}
		return cmd
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	data := filepath.Join(dir, "data")
	if err := run(ctx, "initdb", "-D", data, "-U", "palisade", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions").Run(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out.String())
	}
	cmd := run(context.Background(), "postgres", "-D", data, "-F", "-c", "listen_addresses=", "-c", "unix_socket_directories="+dir, "-c", "max_connections=60")
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	db, err := sql.Open("pgx", s.dsn("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it was only asked
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("start PostgreSQL: %w: %s", err, out.String())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
