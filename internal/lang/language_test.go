package lang

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"palisade"
)

// Programs in other languages: what is made of them, and what they cannot have.
func TestPrepareLanguages(t *testing.T) {
	for _, c := range []struct {
		lang         palisade.Language
		source, want string
	}{
		{palisade.Shell, "echo hi\n", "echo hi\n"},
		{palisade.Shell, "\xef\xbb\xbfecho a\r\necho b\recho c", "echo a\necho b\necho c"},
		{palisade.Shell, "```bash\necho hi\n```\n", "echo hi\n"},
		{palisade.Shell, "```sh\necho hi\n```", "echo hi\n"},
		{palisade.Shell, "```python\nprint()\n```", "```python\nprint()\n```"},
		{palisade.Shell, "echo a\x00\r\n", "echo a\x00\r\n"},
		{palisade.Shell, "echo \xff\r\n", "echo \xff\r\n"},
		{palisade.JavaScript, "```js\nconsole.log(1)\n```", "console.log(1)\n"},
		{palisade.JavaScript, "let a = `x\r\ny`\n", "let a = `x\ny`\n"},
		{palisade.TypeScript, "~~~ts\nlet a: number = 1\n~~~", "let a: number = 1\n"},
		{palisade.TypeScript, "```\nlet a: number = 1\n```", "let a: number = 1\n"},
	} {
		s, err := Preparer{}.Prepare(context.Background(), palisade.Submission{Program: palisade.Program{Language: c.lang, Source: []byte(c.source)}})
		if err != nil || string(s.Program.Source) != c.want {
			t.Errorf("%s %q: %q, %v; want %q", c.lang, c.source, s.Program.Source, err, c.want)
		}
		if want := map[palisade.Language]string{palisade.Shell: "program.sh", palisade.JavaScript: "program.js", palisade.TypeScript: "program.ts"}[c.lang]; s.Program.Name != want && err == nil {
			t.Errorf("%s is called %q", c.lang, s.Program.Name)
		}
	}
}

func TestOnlyPython(t *testing.T) {
	for name, change := range map[string]func(*palisade.Submission){
		"module":  func(s *palisade.Submission) { s.Program.Modules = []palisade.Module{{Name: "a"}} },
		"entry":   func(s *palisade.Submission) { s.Program.Entry = "main" },
		"args":    func(s *palisade.Submission) { s.Inputs.Args = map[string]json.RawMessage{"a": json.RawMessage("1")} },
		"schema":  func(s *palisade.Submission) { s.Inputs.Schema = json.RawMessage("{}") },
		"returns": func(s *palisade.Submission) { s.Inputs.Returns = json.RawMessage("{}") },
	} {
		for _, l := range []palisade.Language{palisade.Shell, palisade.JavaScript, palisade.TypeScript} {
			s := palisade.Submission{Program: palisade.Program{Language: l, Source: []byte("x\n")}}
			change(&s)
			_, err := Preparer{}.Prepare(context.Background(), s)
			var invalid *palisade.InputError
			if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "are for Python") {
				t.Errorf("%s with %s: %v", l, name, err)
			}
		}
	}
	s := palisade.Submission{Program: palisade.Program{Language: palisade.Shell}, Stdin: []byte("in"), Files: []palisade.File{{Name: "a/b"}}}
	if _, err := (Preparer{}).Prepare(context.Background(), s); err != nil {
		t.Errorf("standard input and files: %v", err)
	}
}

// Languages that are only judged do not pass where programs run.
func TestOnlyJudged(t *testing.T) {
	for _, l := range []palisade.Language{palisade.SQL, palisade.Terraform, palisade.Kubernetes, palisade.Dockerfile} {
		s := palisade.Submission{Program: palisade.Program{Language: l, Source: []byte("\xef\xbb\xbfx\r\n")}}
		_, err := Preparer{}.Prepare(context.Background(), s)
		var invalid *palisade.InputError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "is only judged: use scan") {
			t.Errorf("%s: %v", l, err)
		}
		got, err := Preparer{Judge: true}.Prepare(context.Background(), s)
		if err != nil || string(got.Program.Source) != "x\n" || got.Program.Name == "" {
			t.Errorf("%s, only to be judged: %q as %q, %v", l, got.Program.Source, got.Program.Name, err)
		}
	}
}
