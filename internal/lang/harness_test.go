package lang

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"palisade"
)

// Every file of the harness is in one of its forms.
func TestHarnessIsWhole(t *testing.T) {
	list, err := fs.Glob(harnessFiles, "harness/*.py")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range list {
		names = append(names, strings.TrimPrefix(name, "harness/"))
	}
	parts := slices.Concat(harnessShared, harnessTree, harnessText)
	slices.Sort(parts)
	if !slices.Equal(names, parts) {
		t.Errorf("files %v, parts %v", names, parts)
	}
	for l, end := range map[palisade.Language]string{
		palisade.Python: "\nmain(Tree)\n", palisade.Shell: "\nmain(Text)\n", palisade.JavaScript: "\nmain(Text)\n", palisade.TypeScript: "\nmain(Text)\n",
	} {
		start, err := StartFor(l, Interpreters{})
		if text := start.Files[HarnessPath]; err != nil || !bytes.HasSuffix(text, []byte(end)) || bytes.Contains(text, []byte("\ndef digest(tree):")) != (l == palisade.Python) {
			t.Errorf("%s: %v, %d bytes", l, err, len(text))
		}
	}
}

func TestStart(t *testing.T) {
	i := Interpreters{Python: "/usr/bin/python3.11", ModulePath: []string{"/usr/lib/python3/dist-packages"}, Program: "/opt/x"}
	for l, want := range map[palisade.Language]string{
		palisade.Python:     "-I -S -B -X utf8 " + HarnessPath + " /usr/lib/python3/dist-packages",
		palisade.Shell:      "-I -S -B -X utf8 " + HarnessPath + " /opt/x --norc --noprofile {text}",
		palisade.JavaScript: "/run/palisade/start.cjs {text} {name}",
	} {
		start, err := StartFor(l, i)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(start.Args, " "); start.Path != i.Python || !strings.HasSuffix(got, want) {
			t.Errorf("%s: arguments %q", l, got)
		}
		// What an interpreter would take for an order of the host's.
		for _, v := range start.Env {
			for _, bad := range []string{"PYTHON", "BASH", "ENV=", "SHELLOPTS", "NODE", "LD_", "PS4", "PROMPT"} {
				if strings.HasPrefix(v, bad) {
					t.Errorf("%s: %s", l, v)
				}
			}
		}
		if text := string(start.Files[HarnessPath]); l != palisade.Python && !strings.Contains(text, "\nTEXT = "+strings.TrimPrefix(TextPath, "/proc/1/fd/")+" ") {
			t.Errorf("%s: the harness does not put the text at %s", l, TextPath)
		}
		start.Env[0], start.Args[0] = "changed", "changed"
		if again, _ := StartFor(l, i); again.Env[0] == "changed" || again.Args[0] == "changed" {
			t.Errorf("%s: one start changes the next", l)
		}
	}
	for _, l := range []palisade.Language{"cobol", palisade.SQL, palisade.Terraform, ""} {
		if _, err := StartFor(l, i); err == nil {
			t.Errorf("%q was started", l)
		}
	}
}

// What a text cannot run without, and only that, is told.
func TestDenied(t *testing.T) {
	shell, err := StartFor(palisade.Shell, Interpreters{})
	if err != nil {
		t.Fatal(err)
	}
	python, err := StartFor(palisade.Python, Interpreters{})
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"mount", "fork", "exec", "socket", "memfd"}
	if got := shell.Denied(all); !slices.Equal(got, []string{"exec", "fork", "memfd"}) {
		t.Errorf("shell: %v", got)
	}
	if got := shell.Denied([]string{"mount", "socket"}); len(got) > 0 {
		t.Errorf("shell: %v", got)
	}
	if got := python.Denied(all); len(got) > 0 {
		t.Errorf("python: %v", got)
	}
}

func TestSparesAddresses(t *testing.T) {
	for version, want := range map[string]bool{
		"v18.20.4": false, "v20.14.9": false, "v20.15.0": true, "v20.20.2": true, "v21.7.3": false, "v22.1.0": false, "v22.2.0": true,
		"v24.0.0": true, "": false, "20.20": false, "GNU bash, version 5.2": false,
	} {
		if got := sparesAddresses(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
		start, err := StartFor(palisade.JavaScript, Interpreters{Version: version})
		if err != nil || slices.Contains(start.Args, "--disable-wasm-trap-handler") != want {
			t.Errorf("%q: %v, %v", version, start.Args, err)
		}
	}
}
