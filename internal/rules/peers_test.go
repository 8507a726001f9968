package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/python"
	"palisade/internal/semgrep"
)

// The tests of other products, fetched by whoever runs this and kept in the
// folder that PALISADE_PEERS names: see docs/peers.md.

func peers(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("PALISADE_PEERS")
	if dir == "" {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), "peers") {
			t.Fatal("the peers' tests are required, and PALISADE_PEERS names no folder")
		}
		t.Skip("PALISADE_PEERS names no folder with the peers' tests: docs/peers.md says how to get them")
	}
	return filepath.Join(dir, name)
}

// banditWants says for each of bandit's examples which capability we must
// find, on how many lines at least. The figures are those of bandit's own
// tests/functional/test_functional.py, without its findings about style.
var banditWants = map[string][]want{
	"binding.py":                        {{palisade.CapListen, 1}},
	"dill.py":                           {{palisade.CapDeserialize, 3}},
	"eval.py":                           {{palisade.CapEvaluate, 3}},
	"exec.py":                           {{palisade.CapEvaluate, 1}},
	"flask_debug.py":                    {{palisade.CapListen, 1}},
	"ftplib.py":                         {{palisade.CapNetwork, 2}},
	"hardcoded-tmp.py":                  {{palisade.CapWritePath, 3}},
	"httpoxy_cgihandler.py":             {{palisade.CapImport, 1}, {palisade.CapNetwork, 1}},
	"httpoxy_twisted_directory.py":      {{palisade.CapNetwork, 1}},
	"httpoxy_twisted_script.py":         {{palisade.CapNetwork, 1}},
	"huggingface_unsafe_download.py":    {{palisade.CapNetwork, 11}, {palisade.CapDeserialize, 11}},
	"imports-aliases.py":                {{palisade.CapImport, 2}, {palisade.CapProcess, 1}, {palisade.CapDeserialize, 1}},
	"imports-from.py":                   {{palisade.CapImport, 3}},
	"imports-function.py":               {{palisade.CapImport, 2}},
	"imports-with-importlib.py":         {{palisade.CapImport, 4}, {palisade.CapUnresolved, 1}},
	"imports.py":                        {{palisade.CapImport, 2}},
	"jsonpickle.py":                     {{palisade.CapDeserialize, 2}}, // the third loads what the program dumped
	"logging_config_insecure_listen.py": {{palisade.CapEvaluate, 1}},
	"mako_templating.py":                {{palisade.CapEvaluate, 3}},
	"marshal_deserialize.py":            {{palisade.CapDeserialize, 1}}, // the second loads what the program dumped
	"mktemp.py":                         {{palisade.CapWritePath, 2}},   // two more do not run: a function is no module
	"multiline_statement.py":            {{palisade.CapProcess, 2}},
	"nosec.py":                          {{palisade.CapProcess, 5}},
	"os-chmod.py":                       {{palisade.CapWritePath, 12}},
	"os-exec.py":                        {{palisade.CapProcess, 8}},
	"os-popen.py":                       {{palisade.CapProcess, 9}},
	"os-spawn.py":                       {{palisade.CapProcess, 8}},
	"os-startfile.py":                   {{palisade.CapProcess, 3}},
	"os_system.py":                      {{palisade.CapProcess, 1}},
	"pandas_read_pickle.py":             {{palisade.CapDeserialize, 1}},
	"paramiko_injection.py":             {{palisade.CapProcess, 1}},
	"partial_path_process.py":           {{palisade.CapProcess, 8}},
	"pickle_deserialize.py":             {{palisade.CapDeserialize, 2}}, // the third loads what the program dumped
	"popen_wrappers.py":                 {{palisade.CapProcess, 3}},
	"pyghmi.py":                         {{palisade.CapNetwork, 1}},
	"pytorch_load.py":                   {{palisade.CapDeserialize, 3}},
	"requests-missing-timeout.py":       {{palisade.CapUnparsable, 1}}, // await outside of a function
	"requests-ssl-verify-disabled.py":   {{palisade.CapNetwork, 18}},
	"shelve_open.py":                    {{palisade.CapDeserialize, 2}},
	"skip.py":                           {{palisade.CapProcess, 5}},
	"snmp.py":                           {{palisade.CapNetwork, 3}},
	"subprocess_shell.py":               {{palisade.CapProcess, 24}},
	"tarfile_extractall.py":             {{palisade.CapWritePath, 5}},
	"telnetlib.py":                      {{palisade.CapNetwork, 2}, {palisade.CapSecret, 1}},
	"trojansource.py":                   {{palisade.CapObfuscation, 1}},
	"trojansource_latin1.py":            {{palisade.CapUnparsable, 1}}, // not UTF-8
	"urlopen.py":                        {{palisade.CapNetwork, 4}, {palisade.CapReadPath, 4}, {palisade.CapWritePath, 2}},
	"wildcard-injection.py":             {{palisade.CapProcess, 9}},
	"xml_etree_elementtree.py":          {{palisade.CapReadPath, 2}},
	"xml_expatbuilder.py":               {{palisade.CapReadPath, 1}},
	"xml_minidom.py":                    {{palisade.CapReadPath, 1}},
	"xml_pulldom.py":                    {{palisade.CapReadPath, 1}},
	"xml_sax.py":                        {{palisade.CapReadPath, 2}},
	"xml_xmlrpc.py":                     {{palisade.CapImport, 1}},
	"yaml_load.py":                      {{palisade.CapDeserialize, 2}},
}

type want struct {
	capability palisade.Capability
	lines      int
}

// banditLeft are the examples whose finding is neither a host capability nor
// code that is injected into Python or a shell, with the reason.
var banditLeft = map[string]string{
	"__init__.py": "empty", "okay.py": "nothing to find", "long_set.py": "nothing to find, by intent",
	"assert.py": "style", "try_except_continue.py": "style", "try_except_pass.py": "style", "random_module.py": "style: a generator that is no secret's",
	"nonsense.py": "does not parse", "nonsense2.py": "does not parse",
	"new_candidates-all.py": "bandit's baseline files", "new_candidates-none.py": "bandit's baseline files",
	"new_candidates-nosec.py": "bandit's baseline files", "new_candidates-some.py": "bandit's baseline files",
	"cipher-modes.py": "weak cryptography", "ciphers.py": "weak cryptography", "crypto-md5.py": "weak cryptography",
	"hashlib_new_insecure_functions.py": "weak cryptography", "pycrypto.py": "weak cryptography", "pycryptodome.py": "weak cryptography",
	"weak_cryptographic_key_sizes.py": "weak cryptography",
	"ssl-insecure-version.py":         "weak TLS: the rule files", "unverified_context.py": "weak TLS: the rule files",
	"no_host_key_verification.py":   "weak trust in a host's key: the rule files",
	"hardcoded-passwords.py":        "credentials in the text: the rules about secrets",
	"django_sql_injection_extra.py": "SQL through Django's own calls", "django_sql_injection_raw.py": "SQL through Django's own calls",
	"sql_multiline_statements.py": "SQL made of strings: the rule files", "sql_statements.py": "SQL made of strings: the rule files",
	"jinja2_templating.py": "HTML that is not escaped", "mark_safe.py": "HTML that is not escaped", "mark_safe_insecure.py": "HTML that is not escaped",
	"mark_safe_secure.py": "HTML that is not escaped", "markupsafe_markup_xss.py": "HTML that is not escaped",
	"markupsafe_markup_xss_allowed_calls.py": "HTML that is not escaped", "markupsafe_markup_xss_extend_markup_names.py": "HTML that is not escaped",
	"xml_etree_celementtree.py": "XML that grows: limits bound it", "xml_expatreader.py": "XML that grows: limits bound it",
}

func TestBandit(t *testing.T) {
	dir := filepath.Join(peers(t, "bandit"), "examples")
	files, err := filepath.Glob(filepath.Join(dir, "*.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples in %s: %v", dir, err)
	}
	found := 0
	for _, file := range files {
		name := filepath.Base(file)
		wants, ok := banditWants[name]
		if !ok {
			if banditLeft[name] == "" {
				t.Errorf("%s: new: neither wanted nor left out", name)
			}
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := map[palisade.Capability]map[int]bool{}
		for _, f := range inspect(t, string(src)).Findings {
			if lines[f.Capability] == nil {
				lines[f.Capability] = map[int]bool{}
			}
			lines[f.Capability][f.Line] = true
		}
		all := true
		for _, w := range wants {
			if got := len(lines[w.capability]); got < w.lines {
				t.Errorf("%s: %s on %d lines, want %d", name, w.capability, got, w.lines)
				all = false
			}
		}
		if all {
			found++
		}
	}
	t.Logf("%d of %d files found; %d left out", found, len(banditWants), len(banditLeft))
}

// byRuleFiles are the examples among those left out which the shipped rule
// files find, with the rule and the lines. Those of bandit's that only build a
// statement and never run it are not counted.
var byRuleFiles = map[string]struct {
	rule  string
	lines int
}{
	"sql_statements.py": {"python-sql-from-parts", 12}, "sql_multiline_statements.py": {"python-sql-from-parts", 15},
	"ssl-insecure-version.py": {"python-tls-old", 9}, "unverified_context.py": {"python-tls-unverified", 1},
	"no_host_key_verification.py": {"python-tls-unverified", 8},
}

func TestBanditRuleFiles(t *testing.T) {
	dir := filepath.Join(peers(t, "bandit"), "examples")
	engine, err := semgrep.Load(semgrep.Shipped()...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range byRuleFiles {
		file := filepath.Join(dir, name)
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		matches, err := engine.Match(semgrep.Source{Path: name, Language: palisade.Python, Text: src, Tree: parseFile(t, file)})
		if err != nil {
			t.Fatal(err)
		}
		lines := map[int]bool{}
		for _, m := range matches {
			if m.Rule.ID == want.rule {
				lines[m.Line] = true
			}
		}
		if len(lines) < want.lines {
			t.Errorf("%s: %s on %d lines, want %d", name, want.rule, len(lines), want.lines)
		}
	}
}

// TestLangChainPAL judges the programs of LangChain's test_pal.py under pal:
// those are its text constants that are Python with a function or an answer.
func TestLangChainPAL(t *testing.T) {
	constants := moduleTexts(t, filepath.Join(peers(t, "langchain"), "test_pal.py"))
	j := newJudge(t)
	for name, attack := range map[string]bool{
		"_MATH_SOLUTION_1": false, "_MATH_SOLUTION_2": false, "_MATH_SOLUTION_3": true,
		"_MATH_SOLUTION_INFINITE_LOOP": false, // the CPU limit ends it
		"_COLORED_OBJECT_SOLUTION_1":   false, "_COLORED_OBJECT_SOLUTION_2": false,
		"_SAMPLE_CODE_1": false, "_SAMPLE_CODE_2": false, "_SAMPLE_CODE_3": true, "_SAMPLE_CODE_4": false,
	} {
		src, ok := constants[name]
		if !ok {
			t.Errorf("no %s in test_pal.py", name)
			continue
		}
		want := palisade.Allow
		if attack {
			want = palisade.Deny
		}
		if v := j.decide("pal", src); v.Decision != want {
			t.Errorf("%s: %s, want %s%s", name, v.Decision, want, why(v))
		}
		delete(constants, name)
	}
	for name, src := range constants {
		if strings.Contains(src, "def ") || strings.Contains(src, "=") {
			t.Errorf("%s: new: neither an attack nor benign", name)
		}
	}
}

// moduleTexts are the strings that a Python file assigns to names.
func moduleTexts(t *testing.T, file string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, st := range parseFile(t, file).Body {
		a, ok := st.(*python.Assign)
		if !ok {
			continue
		}
		c, isConst := a.Value.(*python.Constant)
		name, isName := a.Targets[0].(*python.Name)
		if isConst && isName && c.Value.Kind == python.Str {
			out[name.Id] = c.Value.Str
		}
	}
	return out
}

func parseFile(t *testing.T, file string) *python.Module {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	normal, err := python.Normalize(src)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := python.Parse(normal, python.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// smolagentsCodes are the programs in the tests of one class (or, with "",
// of all others), by test and place.
func smolagentsCodes(t *testing.T, security bool) map[string]string {
	t.Helper()
	file := filepath.Join(peers(t, "smolagents"), "tests", "test_local_python_executor.py")
	out := map[string]string{}
	for _, st := range parseFile(t, file).Body {
		c, ok := st.(*python.ClassDef)
		if !ok || strings.HasSuffix(c.Name, "Security") != security {
			continue
		}
		for _, st := range c.Body {
			f, ok := st.(*python.FunctionDef)
			if !ok {
				continue
			}
			python.Inspect(f, func(n python.Node) bool {
				for _, e := range programsAt(n) {
					if src, ok := programText(e); ok {
						out[fmt.Sprintf("%s:%d", f.Name, e.Position().Line)] = src
					}
				}
				return true
			})
		}
	}
	return out
}

// programsAt are the expressions at a node that hold a program: what is
// assigned to code, what the executor is called with, the first of a list of
// parameters that begins with code.
func programsAt(n python.Node) []python.Expr {
	switch n := n.(type) {
	case *python.Assign:
		if name, ok := n.Targets[0].(*python.Name); ok && strings.HasPrefix(name.Id, "code") {
			return []python.Expr{n.Value}
		}
	case *python.Call:
		switch callee := calleeName(n.Func); {
		case len(n.Args) == 0:
		case callee == "executor" || callee == "evaluate_python_code":
			return n.Args[:1]
		case callee == "parametrize" && len(n.Args) == 2:
			names, _ := programText(n.Args[0])
			cases, ok := n.Args[1].(*python.List)
			if !ok || !strings.HasPrefix(names, "code") {
				return nil
			}
			var out []python.Expr
			for _, e := range cases.Elts {
				if tuple, ok := e.(*python.Tuple); ok {
					e = tuple.Elts[0]
				}
				out = append(out, e)
			}
			return out
		}
	}
	return nil
}

func calleeName(e python.Expr) string {
	switch e := e.(type) {
	case *python.Name:
		return e.Id
	case *python.Attribute:
		return e.Attr
	}
	return ""
}

// programText is a constant, or one that is dedented.
func programText(e python.Expr) (string, bool) {
	switch e := e.(type) {
	case *python.Constant:
		return e.Value.Str, e.Value.Kind == python.Str
	case *python.Call:
		if calleeName(e.Func) == "dedent" && len(e.Args) == 1 {
			src, ok := programText(e.Args[0])
			return dedent(src), ok
		}
	}
	return "", false
}

// dedent takes the margin of the first line that is not blank off all.
func dedent(src string) string {
	lines := strings.Split(src, "\n")
	margin := ""
	for _, line := range lines {
		if text := strings.TrimLeft(line, " "); text != "" {
			margin = line[:len(line)-len(text)]
			break
		}
	}
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], margin)
	}
	return strings.Join(lines, "\n")
}

func TestSmolagents(t *testing.T) {
	j := newJudge(t)
	attacks := smolagentsCodes(t, true)
	for name, src := range attacks {
		if v := j.decide("pal", src); v.Decision == palisade.Allow {
			t.Errorf("attack allowed: %s\n%s", name, src)
		}
	}
	benign := smolagentsCodes(t, false)
	for name, src := range benign {
		want := palisade.Allow
		if strings.HasPrefix(name, "test_syntax_error") {
			want = palisade.Deny // it is one
		}
		if v := j.decide("data", src); v.Decision != want {
			t.Errorf("%s: %s%s\n%s", name, v.Decision, why(v), src)
		}
	}
	t.Logf("%d attacks, %d benign programs", len(attacks), len(benign))
}
