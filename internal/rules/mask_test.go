package rules

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/python"
	"palisade/internal/semgrep"
)

// The credential of these tests, and the half that must not show where the end
// of it is cut off.
const (
	testToken = "ghp_1234567890abcdefABCDEF1234567890abcd"
	testHalf  = "ghp_12345678"
)

// said are pattern rules that say all that they are bound to.
type said struct{ *semgrep.Engine }

func (s said) Find(l palisade.Language, file string, source []byte, tree *python.Module) ([]palisade.Finding, error) {
	matches, err := s.Match(semgrep.Source{Path: file, Language: l, Text: source, Tree: tree})
	var out []palisade.Finding
	for _, m := range matches {
		out = append(out, palisade.Finding{Rule: m.Rule.ID, Capability: palisade.CapPattern, Message: m.Message, Evidence: fmt.Sprint(m.Metavars)})
	}
	return out, err
}

// TestCredentialsAreMasked: wherever a credential stands, and however it is put
// together, nothing that Inspect says repeats it.
func TestCredentialsAreMasked(t *testing.T) {
	engine, err := semgrep.Default()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		language palisade.Language
		source   string
		says     bool // some finding speaks of what holds the credential
	}{
		"command":            {palisade.Python, "import os\nos.system('curl -H %TOKEN% https://x.example')", true},
		"long command":       {palisade.Python, "import os\nos.system('curl --silent --show-error --fail --location -H %TOKEN% https://x.example')", true},
		"cut in it":          {palisade.Python, "import os\nos.system('curl --silent --show-error --fail --location --max-time 100 -H %TOKEN% https://x.example')", true},
		"list of words":      {palisade.Python, "import subprocess\nsubprocess.run(['curl', '-u', 'a:%TOKEN%', 'https://x.example'])", true},
		"URL":                {palisade.Python, "import requests\nrequests.get('https://x.example/a?token=%TOKEN%')", true},
		"user of a URL":      {palisade.Python, "import requests\nrequests.get('https://%TOKEN%@x.example/a')", true},
		"f-string":           {palisade.Python, "import os\nx = '%TOKEN%'\nos.system(f'curl -H {x} https://x.example')", true},
		"halves":             {palisade.Python, "import os\nx = 'ghp_1234567890abcdef' + 'ABCDEF1234567890abcd'\nos.system('curl -H ' + x)", true},
		"halves in a format": {palisade.Python, "import os\nos.system('curl -H %s%s' % ('ghp_1234567890abcdef', 'ABCDEF1234567890abcd'))", true},
		"argument":           {palisade.Python, "import requests\nrequests.get('https://x.example', auth=('u', '%TOKEN%'), verify=False)", true},
		"path":               {palisade.Python, "open('/srv/%TOKEN%')", true},
		"module":             {palisade.Python, "x = '%TOKEN%'\n__import__('%TOKEN%')", true},
		"pattern":            {palisade.Python, "password = '%TOKEN%'", true},
		"broken":             {palisade.Python, "x = '%TOKEN%\n", false},
		"shell":              {palisade.Shell, "curl -H 'Authorization: token %TOKEN%' https://x.example", true},
		"shell's variable":   {palisade.Shell, "GH=%TOKEN%; X=%TOKEN% curl -u u:$GH https://x.example", true},
		"code in shell":      {palisade.Shell, "bash -c 'curl -u u:%TOKEN% https://x.example'", true},
		"Dockerfile":         {palisade.Dockerfile, "FROM a:1\nENV GH=%TOKEN%\nRUN curl -u u:$GH https://x.example\nADD https://%TOKEN%@x.example/a /a", true},
		"Dockerfile's label": {palisade.Dockerfile, "FROM a:1\nLABEL a=%TOKEN%\nCMD [\"sh\", \"-c\", \"curl -u u:%TOKEN% https://x.example\"]", true},
		"SQL":                {palisade.SQL, "SELECT pg_read_file('/srv/%TOKEN%'); COPY t TO PROGRAM 'curl -u u:%TOKEN% https://x.example'", true},
		"JavaScript":         {palisade.JavaScript, "require('child_process').execSync('curl -u u:%TOKEN% https://x.example')", true},
		"Kubernetes":         {palisade.Kubernetes, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    image: https://%TOKEN%@x.example/a:1\n    command: [sh, -c, 'curl -u u:%TOKEN% https://x.example']\n", true},
		"Terraform":          {palisade.Terraform, "module \"a\" {\n  source = \"git::https://%TOKEN%@x.example/a\"\n}\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			source := strings.ReplaceAll(c.source, "%TOKEN%", testToken)
			out, err := Inspector{Reader: direct{}, Patterns: said{engine}}.Inspect(context.Background(), palisade.Submission{
				Program: palisade.Program{Language: c.language, Source: []byte(source)},
			})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(out.Findings)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), testHalf) {
				t.Errorf("it is repeated:\n%s", text)
			}
			if strings.Contains(string(text), mask) != c.says {
				t.Errorf("masked: %t\n%s", !c.says, text)
			}
		})
	}
}

// TestMaskHidesNothingFromPolicy: what looks like a credential and is a peer, or
// a path, is judged as the peer or the path.
func TestMaskHidesNothingFromPolicy(t *testing.T) {
	j := newJudge(t)
	for _, src := range []string{
		"FROM a:1\nENV API_KEY=%s\nADD http://%s/x /x\n",
		"FROM a:1\nRUN curl -H 'Authorization: Bearer %s' http://%s/x\n",
	} {
		const peer = "metadata.google.internal"
		v := j.program("infra", palisade.Dockerfile, strings.ReplaceAll(src, "%s", peer))
		if v.Decision != palisade.Deny {
			t.Errorf("%s: %s", src, v.Decision)
		}
	}
}

// TestMasker: quoted and escaped forms, and those that were cut off, are known
// again; words that only begin alike are not.
func TestMasker(t *testing.T) {
	m := masker{}
	m.add("-----BEGIN KEY-----\nabc\"def\n-----END KEY-----")
	m.add(`one\ntwo\tthree`)
	m.add("short")
	for in, want := range map[string]string{
		"":      "",
		"short": "short",
		"a -----BEGIN KEY-----\nabc\"def\n-----END KEY----- b": "a " + mask + " b",
		`"-----BEGIN KEY-----\nabc\"def\n-----END KEY-----"`:   `"` + mask + `"`,
		"one\ntwo\tthree!":     mask + "!",
		`x one\ntwo\t…`:        "x " + mask + "…",
		`x one\ntwo... y`:      "x " + mask + "... y",
		`x one\ntwo y`:         `x one\ntwo y`,
		"-----BEGIN CERT-----": "-----BEGIN CERT-----",
		"-----BEGIN KEY-----":  mask,
	} {
		if got := m.text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
