package mirror

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const head = "palisade.local/audit/0123456789abcdef\n7\n4aZR\n\n— palisade.local/audit/0123456789abcdef AAAA\n"

func at() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func notes(copies []Copy) []string {
	var all []string
	for _, c := range copies {
		switch {
		case c.Torn:
			all = append(all, "torn")
		case c.Damaged != "":
			all = append(all, "damaged")
		default:
			all = append(all, string(c.Note))
		}
	}
	return all
}

func TestFormIsFixed(t *testing.T) {
	got, err := Format(at(), []byte("a\nb — <c>\n"))
	if want := `{"time":"2026-01-02T03:04:05Z","head":"a\nb — <c>\n"}` + "\n"; err != nil || string(got) != want {
		t.Errorf("line %q, %v", got, err)
	}
}

func TestFolder(t *testing.T) {
	f := Folder{Dir: filepath.Join(t.TempDir(), "a[b]*", "heads"), Now: at}
	const missing = "does not exist: make it, or mount it"
	if _, err := f.Latest(t.Context()); err == nil || !strings.Contains(err.Error(), missing) {
		t.Fatalf("read of a missing folder: %v", err)
	}
	if err := f.Put(t.Context(), "x", []byte(head)); err == nil || !strings.Contains(err.Error(), "mirror folder "+f.Dir+" "+missing) {
		t.Fatalf("put into a missing folder: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(f.Dir)); err == nil {
		t.Fatal("a missing folder was made")
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if copies, err := f.Latest(t.Context()); err != nil || len(copies) != 0 {
		t.Fatalf("an empty folder: %v, %v", copies, err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 150 {
				if err := f.Put(context.Background(), fmt.Sprintf("log/%d", i%2), fmt.Appendf(nil, "%d %s", j, head)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	copies, err := Read(f.Dir)
	if err != nil || len(copies) != 600 {
		t.Fatalf("%d copies, %v", len(copies), err)
	}
	latest, err := f.Latest(t.Context())
	if err != nil || len(latest) == 0 || len(latest) >= 600 {
		t.Fatalf("%d latest, %v", len(latest), err)
	}
	if last := string(latest[len(latest)-1].Note); last != "149 "+head {
		t.Errorf("latest %q", last)
	}
	for _, c := range append(latest, copies...) {
		if c.Damaged != "" || !strings.HasSuffix(string(c.Note), head) {
			t.Errorf("copy %+v", c)
		}
	}
	name := filepath.Join(f.Dir, "log%2F0.heads")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info, err)
	}
}

// A line that a crash tore is torn, whatever follows it; a changed one is not.
func TestTornAndDamagedLines(t *testing.T) {
	f := Folder{Dir: t.TempDir(), Now: at}
	name := filepath.Join(f.Dir, "x.heads")
	line, err := Format(at(), []byte(head))
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(line)-1; cut++ {
		if err := os.WriteFile(name, line[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(t, name); len(got) != 1 || got[0] != "torn" {
			t.Fatalf("cut at %d: %q", cut, got)
		}
		if err := f.Put(t.Context(), "x", []byte(head)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, name); len(got) != 2 || got[0] != "torn" || got[1] != head {
			t.Fatalf("cut at %d, then put: %q", cut, got)
		}
	}
	for _, wrong := range []string{"hello\n", string(line[1:]), strings.Replace(string(line), `"head"`, `"hart"`, 1)} {
		if err := os.WriteFile(name, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(t, name); len(got) != 1 || got[0] != "damaged" {
			t.Errorf("%q: %q", wrong, got)
		}
	}
}

func read(t *testing.T, name string) []string {
	t.Helper()
	copies, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return notes(copies)
}

// Heads are found in any text: as they are, and behind a log daemon's words.
func TestParseAnyText(t *testing.T) {
	line, _ := Format(at(), []byte(head))
	text := "some words\n" + head + "\nJan  2 03:04:05 host palisade: " + string(line) +
		strings.Repeat("x", 100_000) + "\n" + "<109>1 - - " + string(line) + "words — \n"
	copies, err := Parse(strings.NewReader(text), "syslog")
	if got := notes(copies); err != nil || len(got) != 3 || got[0] != head || got[1] != head || got[2] != head {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReadRefusesPipes(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.heads")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, name} {
		if _, err := Read(path); err == nil {
			t.Errorf("read %s", path)
		}
	}
	if _, err := Read(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "does not exist: mount it") {
		t.Errorf("read of a missing file: %v", err)
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Folder{Dir: file, Now: at}).Put(t.Context(), "x", []byte(head)); err == nil {
		t.Error("put into a file")
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "x.heads")); err != nil {
		t.Fatal(err)
	}
	if err := (Folder{Dir: dir, Now: at}).Put(t.Context(), "x", []byte(head)); err == nil {
		t.Error("put through a link")
	}
}

func TestSyslog(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "log")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s := Syslog{Socket: socket, Host: "gate", Now: at}
	if err := s.Put(t.Context(), "x", []byte(head)); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	n, err := conn.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	if want := `<109>1 2026-01-02T03:04:05.000000Z gate palisade - audit-head - {"time":`; !strings.HasPrefix(string(buf[:n]), want) {
		t.Errorf("message %q", buf[:n])
	}
	copies, err := Parse(bytes.NewReader(buf[:n]), "syslog")
	if got := notes(copies); err != nil || len(got) != 1 || got[0] != head {
		t.Errorf("%q, %v", got, err)
	}
	if err := (Syslog{Socket: socket + ".none", Now: at}).Put(t.Context(), "x", []byte(head)); err == nil {
		t.Error("put to nobody")
	}
}

func TestCommand(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := Command{Argv: []string{"/bin/sh", "-c", `cat >> "$OUT"; env >> "$OUT"`}, Env: []string{"OUT=" + out}, Timeout: 10 * time.Second, Now: at}
	t.Setenv("SECRET_OF_THE_GATE", "x")
	if err := c.Put(t.Context(), "x", []byte(head)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	copies, _ := Parse(bytes.NewReader(data), "out")
	if got := notes(copies); len(got) != 1 || got[0] != head || strings.Contains(string(data), "SECRET") {
		t.Errorf("the command saw %q", data)
	}
	for name, c := range map[string]Command{
		"fails":         {Argv: []string{"/bin/sh", "-c", "echo no space >&2; exit 3"}, Timeout: time.Minute, Now: at},
		"hangs":         {Argv: []string{"/bin/sh", "-c", "sleep 100 & sleep 100"}, Timeout: 100 * time.Millisecond, Now: at},
		"no timeout":    {Argv: []string{"/bin/true"}, Now: at},
		"relative path": {Argv: []string{"true"}, Timeout: time.Minute, Now: at},
		"missing":       {Argv: []string{"/bin/none"}, Timeout: time.Minute, Now: at},
	} {
		from := time.Now()
		err := c.Put(t.Context(), "x", []byte(head))
		if err == nil || time.Since(from) > 5*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(from))
		}
		if name == "fails" && !strings.Contains(err.Error(), "no space") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	line, _ := Format(at(), []byte(head))
	f.Add(line, true)
	f.Add([]byte(head), false)
	f.Add([]byte("x\n"+head+string(line[:20])), false)
	f.Fuzz(func(t *testing.T, data []byte, own bool) {
		where := "text"
		if own {
			where = "x.heads"
		}
		copies, err := Parse(bytes.NewReader(data), where)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range copies {
			if (c.Damaged == "") == (len(c.Note) == 0) || len(c.Note) > maxHead {
				t.Fatalf("copy %+v", c)
			}
		}
	})
}
