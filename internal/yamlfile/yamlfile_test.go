package yamlfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRefused(t *testing.T) {
	long := strings.Repeat("x", MaxLine+1)
	cases := []struct{ name, text, want string }{
		{"duplicate", "a: 1\nb: 2\na: 3\n", "f.yaml:3:1: "},
		{"duplicate nested", "a:\n  b: 1\n  b: 2\n", "f.yaml:3:3: "},
		{"anchor", "a: &x 1\n", "anchors"},
		{"alias", "a: *x\n", "aliases"},
		{"bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "anchors"},
		{"merge", "<<: {a: 1}\n", "merge keys"},
		{"tag", "a: !!binary aGk=\n", "tags"},
		{"complex key", "? a\n: b\n", "complex keys"},
		{"directive", "%YAML 1.2\n---\na: 1\n", "directives"},
		{"documents", "---\na: 1\n---\nb: 1\n", "more than one document"},
		{"long line", "a: " + long + "\n", "f.yaml:1:1: the line has more than"},
		{"large", strings.Repeat("#\n", MaxBytes), "more than 262144"},
		{"not UTF-8", "a: \xff\n", "not UTF-8"},
		{"NUL", "a: x\x00y\n", "U+0000"},
		{"bidi", "a: x\u202ey\n", "f.yaml:1:5: the character U+202E"},
		{"flow depth", "a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n", "nested deeper"},
		{"dash depth", strings.Repeat("- ", 500) + "a\n", "nested deeper"},
		{"syntax", "a: [1\n", "f.yaml:1:"},
		{"tabs", "a:\n\tb: 1\n", "f.yaml:"},
		{"tokens", strings.Repeat("- a\n", 40000), "tokens"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse("f.yaml", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if spent := time.Since(start); spent > 2*time.Second {
				t.Errorf("took %s", spent)
			}
		})
	}
}

func TestBlockDepth(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	if _, err := Parse("f.yaml", []byte(b.String())); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Fatal(err)
	}
}

func TestParseKeepsPlaces(t *testing.T) {
	n, err := Parse("f.yaml", []byte("# note\na: no\nb:\n  - 1\n  - x: 'y: z'\nc: {d: [e]}\nt: |\n  two\n  lines\nn:\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Fields) != 5 {
		t.Fatalf("%d fields", len(n.Fields))
	}
	if a := n.Fields[0].Value; a.Text != "no" || a.Line != 2 || a.Column != 4 || a.Path != "a" {
		t.Errorf("a: %+v", a)
	}
	if x := n.Fields[1].Value.Items[1].Fields[0]; x.Value.Text != "y: z" || x.Value.Path != "b[1].x" || x.Line != 5 {
		t.Errorf("x: %+v", x)
	}
	if e := n.Fields[2].Value.Fields[0].Value.Items[0]; e.Text != "e" || e.Path != "c.d[0]" {
		t.Errorf("e: %+v", e)
	}
	if text := n.Fields[3].Value.Text; text != "two\nlines\n" {
		t.Errorf("t: %q", text)
	}
	if n.Fields[4].Value.Kind != Null {
		t.Errorf("n: %+v", n.Fields[4].Value)
	}
}

func decode(t *testing.T, text string, read func(*Decoder, *Node)) Problems {
	t.Helper()
	n, err := Parse("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var d Decoder
	read(&d, n)
	return d.Problems
}

func TestUnknownKey(t *testing.T) {
	problems := decode(t, "languges: [python]\nzzzzzz: 1\n", func(d *Decoder, n *Node) {
		d.Keys(n, map[string]func(*Node){"languages": func(*Node) {}, "limits": func(*Node) {}})
	})
	if len(problems) != 2 {
		t.Fatal(problems)
	}
	if got := problems[0].String(); got != `f.yaml:1:1: languges: unknown key "languges"; did you mean languages?` {
		t.Error(got)
	}
	if got := problems[1].String(); !strings.Contains(got, "known here: languages, limits") {
		t.Error(got)
	}
}

func TestValues(t *testing.T) {
	var size int64
	var wall time.Duration
	read := func(d *Decoder, n *Node) {
		d.Keys(n, map[string]func(*Node){
			"size": func(n *Node) { size = d.Size(n, 1<<40) },
			"wall": func(n *Node) { wall = d.Duration(n, time.Hour) },
			"on":   func(n *Node) { d.Bool(n) },
			"n":    func(n *Node) { d.Int(n, 1, 10) },
			"list": func(n *Node) { d.Texts(n) },
			"text": func(n *Node) { d.Text(n) },
		})
	}
	if p := decode(t, "size: 256MiB\nwall: 1.5s\non: true\nn: 10\nlist: [a]\ntext: x\n", read); len(p) > 0 || size != 256<<20 || wall != 1500*time.Millisecond {
		t.Fatal(p, size, wall)
	}
	for _, bad := range []string{
		"size: 256MB", "size: 0", "size: -1", "size: 9223372036854775807GiB", "size: 2TiB", "size: []", "size: 1e3",
		"wall: 5", "wall: -1s", "wall: 2h", "wall: 1us", "on: yes", "on: 1", "n: 0", "n: 11", "n: 0x1", "n: 1.0", "n: 99999999999999999999",
		"list: a", "list: [[a]]", "list: {a: b}", "text: ''", "text:", "text: [a]",
	} {
		if p := decode(t, bad, read); len(p) != 1 || p[0].Fix == "" || p[0].Line != 1 {
			t.Errorf("%s: %v", bad, p)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"numpy", "math", "statistics"}
	for wrong, want := range map[string]string{"nunpy": "numpy", "maths": "math", "os": "", "x": "", "": "", "statistic": "statistics"} {
		if got := Nearest(wrong, known); got != want {
			t.Errorf("%s: %q, want %q", wrong, got, want)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(path, []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := Read(path); err != nil || string(data) != "a: 1\n" {
		t.Fatal(data, err)
	}
	if err := os.Chmod(path, 0o602); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "writable by everyone") {
		t.Error(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{pipe, dir, filepath.Join(dir, "none"), "/dev/zero"} {
		if _, err := Read(bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, MaxBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(big); err == nil {
		t.Error("a file over the cap was read")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: [x, 'y']\n", "a: |\n  t\n", "- a\n- b: c\n", "? a\n: b\n", "{a: {b: [c]}}", "a: \"\\x41\"", "---\n...\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		n, err := Parse("f", data)
		if (n == nil) == (err == nil) {
			t.Fatal("neither a node nor an error")
		}
		if time.Since(start) > 5*time.Second {
			t.Fatal("too slow")
		}
	})
}
