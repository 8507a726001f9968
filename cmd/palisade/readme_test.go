package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"palisade/local"
)

// readmeFiles are what the README's commands work on.
var readmeFiles = map[string]string{
	"shapes.py":           "def area(width: float, height: float) -> float:\n    return width * height\n",
	"sales.csv":           "n\n1\n2\n",
	"report.py":           "with open('sales.csv') as f, open('total.txt', 'w') as out:\n    out.write(str(sum(map(int, f.read().split()[1:]))))\n",
	"generated/a.py":      "import math\nprint(math.pi)\n",
	"helper.py":           "def double(n: int) -> int:\n    return 2 * n\n",
	"main.py":             "import helper\nprint(helper.double(21))\n",
	"my-policy.yaml":      "version: 1\nprofiles:\n  mine:\n    extends: data\n",
	"query.sql":           "SELECT name, count(*) FROM sales GROUP BY name;\n",
	"asks.py":             "import urllib.request\nurllib.request.urlopen('https://example.org/')\n",
	"home/config.yaml":    "audit:\n  mirrors:\n    - {kind: folder, folder: heads}\n",
	"home/heads/.keep":    "",
	"elsewhere/README.md": "",
}

var (
	readmeBlock = regexp.MustCompile("(?s)```console\n(.*?)```")
	exitComment = regexp.MustCompile(`# exit (\d+)`)
	runID       = regexp.MustCompile(`[0-9a-z]{24}`)
	ticketLine  = regexp.MustCompile(`(?m)^([0-9a-z]{10})  ([0-9a-f]{12})`)
)

// TestReadme runs the README's commands as a newcomer would, in their order. A
// command succeeds unless the README says "# exit N" beside it.
func TestReadme(t *testing.T) {
	requireGate(t)
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	shell := newcomer(t)
	if out, code := shell("git init -q . && git add generated && git -c user.name=t -c user.email=t@example.org commit -qm one"); code != 0 {
		t.Fatalf("git: %s", out)
	}
	if out, code := shell("palisade run asks.py"); code != 4 {
		t.Fatalf("a program that needs the network: exit %d\n%s", code, out)
	}
	list, _ := shell("palisade approvals ls")
	ticket := ticketLine.FindStringSubmatch(list)
	if ticket == nil {
		t.Fatalf("no ticket in\n%s", list)
	}
	ran := 0
	for _, block := range readmeBlock.FindAllStringSubmatch(string(readme), -1) {
		for line := range strings.Lines(block[1]) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ palisade ")
			if !ok {
				continue
			}
			want := 0
			if m := exitComment.FindStringSubmatch(command); m != nil {
				want, _ = strconv.Atoi(m[1])
			}
			command, _, _ = strings.Cut(command, " #")
			listed, _ := shell("palisade audit ls")
			fill := strings.NewReplacer("RUN", runID.FindString(listed), "TICKET", ticket[1], "DIGEST-PREFIX", ticket[2])
			if out, code := shell("palisade " + fill.Replace(command)); code != want {
				t.Errorf("palisade %s: exit %d, the README says %d\n%s", command, code, want, out)
			}
			ran++
		}
	}
	if ran < 15 {
		t.Errorf("only %d commands were found: is a command's line still \"$ palisade …\"?", ran)
	}
}

// requireGate skips, or fails where CI wants it, if no sandbox can be made.
func requireGate(t *testing.T) {
	t.Helper()
	gate, err := local.Open(t.Context(), local.Config{Home: t.TempDir()})
	if err == nil {
		err = gate.Close()
	}
	if err != nil && strings.Contains(os.Getenv("PALISADE_REQUIRE"), "gvisor") {
		t.Fatalf("no sandbox: %v", err)
	} else if err != nil {
		t.Skipf("no sandbox: %v", err)
	}
}

// newcomer is a shell in a folder with the README's files, where this test's
// binary is palisade. It returns what a command printed, and its exit code.
func newcomer(t *testing.T) func(command string) (string, int) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range readmeFiles {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o700), os.Symlink(self, filepath.Join(bin, "palisade"))); err != nil {
		t.Fatal(err)
	}
	return func(command string) (string, int) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), fmt.Sprintf("PALISADE_HOME=%s/home", dir))
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
}
