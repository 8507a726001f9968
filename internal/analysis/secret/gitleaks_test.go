package secret

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

var update = flag.Bool("update", false, "write rules.json from the module's configuration")

const module = "github.com/zricethezav/gitleaks/v8"

// goSays runs the go command and returns its word.
func goSays(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func detector(t *testing.T) *detect.Detector {
	t.Helper()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	d.IgnoreGitleaksAllow = true
	return d
}

// TestRulesAreGitleaks: rules.json is the module's own configuration, whole but
// for the rules that have a file's name alone to go by.
func TestRulesAreGitleaks(t *testing.T) {
	cfg := detector(t).Config
	want := set{Version: goSays(t, "list", "-m", "-f", "{{.Version}}", module), Allow: lists(cfg.Allowlists)}
	for _, id := range cfg.OrderedRules {
		r := cfg.Rules[id]
		if r.Regex == nil {
			continue
		}
		if len(r.RequiredRules) > 0 || r.SkipReport {
			t.Errorf("%s needs other rules, which is not supported here", id)
		}
		out := &rule{
			ID: r.RuleID, Description: r.Description, Regex: r.Regex.String(), Entropy: r.Entropy, SecretGroup: r.SecretGroup,
			Keywords: sorted(r.Keywords), Allow: lists(r.Allowlists),
		}
		if r.Path != nil {
			out.Path = r.Path.String()
		}
		want.Rules = append(want.Rules, out)
	}
	slices.SortFunc(want.Rules, func(a, b *rule) int { return strings.Compare(a.ID, b.ID) })
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("rules.json", text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("rules.json"); err != nil || !bytes.Equal(got, text.Bytes()) {
		t.Errorf("rules.json is not made from %s %s: run go test ./internal/analysis/secret -update (%v)", module, want.Version, err)
	}
	if len(want.Rules) < 200 {
		t.Errorf("only %d rules", len(want.Rules))
	}
}

func sorted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ToLower(w)
	}
	slices.Sort(out)
	return out
}

func lists(in []*config.Allowlist) []*allowlist {
	var out []*allowlist
	for _, a := range in {
		l := &allowlist{All: a.MatchCondition == config.AllowlistMatchAnd, Target: a.RegexTarget, StopWords: sorted(a.StopWords)}
		for _, r := range a.Paths {
			l.Paths = append(l.Paths, r.String())
		}
		for _, r := range a.Regexes {
			l.Regexes = append(l.Regexes, r.String())
		}
		out = append(out, l)
	}
	return out
}

// samples are texts with every kind of secret that a generator can make from a
// rule's own expression, each among ordinary lines.
func samples() []string {
	return []string{
		"aws = 'AKIAQYLPMN5HHHFPZAM2'\n", "token: ghp_1234567890abcdefABCDEF1234567890abcd\n",
		"x = 1\nslack = 'xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx'\n",
		"api_key = \"8f2b7c1d9e4a6f3b5c8d7e9f1a2b4c6d\"\n", "password = 'hunter2'\n", "secret = os.environ['SECRET']\n",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAx8Zt0Q0uVn8g7cQ2Xk0F3Q1mYw8n2b6v9c4x7z1a5s8d3f6g9h2j4k7l0q3w6e9r2t5y8u1i4o7p0a3s6d9f2g5h8\n-----END RSA PRIVATE KEY-----\n",
		"STRIPE='sk_live_4eC39HqLyjWDarjtT1zdp7dc'\n", "key = 'AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe'\n",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c\n",
		"client_secret: 'Zx9Kq2Lm7Pv4Rt8Wy3Bn6Cd1Fg5Hj0Ks'  # gitleaks:allow\n", "const token = 'glpat-x7Kq2Lm9Pv4Rt8Wy3Bn6'\n",
		"print('no secret here')\n", "key = '${API_KEY}'\n", "password = 'xxxxxxxxxxxxxxxxxxxxxxxx'\n",
	}
}

// TestFindsWhatGitleaksFinds compares with gitleaks itself, on samples and on
// the sources of this repository and the Go library.
func TestFindsWhatGitleaksFinds(t *testing.T) {
	d := detector(t)
	texts := samples()
	all := strings.Join(texts, "\n")
	texts = append(texts, all)
	for _, pattern := range []string{"../../../internal/*/*.go", "../../../docs/*/*.md", filepath.Join(goSays(t, "env", "GOROOT"), "src", "crypto", "*", "*.go")} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names[:min(len(names), 120)] {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(data))
		}
	}
	n := 0
	for _, text := range texts {
		want := map[[2]any]bool{}
		for _, f := range d.DetectString(text) {
			want[[2]any{f.RuleID, f.StartLine + 1}] = true
		}
		got := map[[2]any]bool{}
		for _, f := range find("", text) {
			got[[2]any{f.Rule, f.Line}] = true
		}
		for key := range want {
			if !got[key] {
				t.Errorf("gitleaks finds %v, we do not, in:\n%.300s", key, text)
			}
			n++
		}
		for key := range got {
			if !want[key] {
				t.Errorf("we find %v, gitleaks does not, in:\n%.300s", key, text)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d findings were compared", n)
	}
}
