package redact

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// Sample secrets are joined from pieces, so that scanners of this repository
// do not take them for real ones.
var (
	sampleKey    = "AKIA" + "IOSFODNN7EXAMPLE"
	sampleGitHub = "ghp" + "_" + strings.Repeat("aB3dE6", 6)
	sampleJWT    = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	samplePEM    = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat(strings.Repeat("MIIEabcd", 8)+"\n", 5) + "AAECAwQ=\n-----END RSA PRIVATE " + "KEY-----"
	samplePGP    = "-----BEGIN PGP PRIVATE " + "KEY BLOCK-----\nVersion: x 1.0\n\n" + strings.Repeat(strings.Repeat("lQOYabcd", 8)+"\n", 3) + "lQO=\n=aBcD\n-----END PGP PRIVATE " + "KEY BLOCK-----"
	sampleConfig = Config{
		Paths: []Path{{Prefix: "/var/lib/palisade"}, {Prefix: "/usr/lib/python3.11", As: "<python>"}, {Prefix: "/home/alice/"}, {Prefix: "relative"}, {}},
		Hosts: []string{"build-box7", "vm", "1234567"},
		Users: []string{"alice", "root"},
	}
)

func TestRedact(t *testing.T) {
	r := New(sampleConfig)
	for _, c := range []struct{ name, in, want string }{
		{"AWS", "key=" + sampleKey + ", ok", "key=[redacted:aws-access-key], ok"},
		{"GitHub, longer than known", "x " + sampleGitHub + "moreOfIt y", "x [redacted:github-token] y"},
		{"Anthropic", "sk-" + "ant-api03-" + strings.Repeat("aB-_", 24) + "AA", "[redacted:anthropic-key]"},
		{"OpenAI", "sk-" + "proj-" + strings.Repeat("aB3_", 24), "[redacted:openai-key]"},
		{"Slack", "xox" + "b-123456789012-123456789012-abcdefABCDEF", "[redacted:slack-token]"},
		{"webhook keeps its host", "https://hooks.slack" + ".com/services/T00000000/B00000000/" + strings.Repeat("x", 24), "https://hooks.slack.com/services/[redacted:slack-webhook]"},
		{"JWT", "token " + sampleJWT + "\n", "token [redacted:jwt]\n"},
		{"private key", "a\n" + samplePEM + "\nb\n", "a\n[redacted:private-key]\nb\n"},
		{"private key in JSON", `{"private_key": "` + strings.ReplaceAll(samplePEM, "\n", `\n`) + `\n", "x": 1}`, `{"private_key": "[redacted:private-key]\n", "x": 1}`},
		{"PGP key", samplePGP + "\nb", "[redacted:private-key]\nb"},
		{"private key without an end", samplePEM[:120] + "\nThe answer is 42\n", "[redacted:private-key]The answer is 42\n"},
		{"password in a URL", "postgres://app:s3cret@db:5432/x", "postgres://app:[redacted:url-password]@db:5432/x"},
		{"password with an at", "redis://:p@ss@db/0", "redis://:[redacted:url-password]@db/0"},
		{"a user that is a key", "x://" + sampleKey + ":pw1@h", "x://[redacted:aws-access-key]:[redacted:url-password]@h"},
		{"Authorization", "Authorization: Bearer abc.def-123\n", "Authorization: Bearer [redacted:authorization]\n"},
		{"Authorization in JSON", `{"Authorization": "Basic dXNlcjpwYXNz"}`, `{"Authorization": "Basic [redacted:authorization]"}`},
		{"bearer alone", "curl says bearer abcdefghijklmn0123opqrst-x.y", "curl says bearer [redacted:bearer-token]"},
		{"API key header", "X-Api-Key: 0123456789abcdef0123", "X-Api-Key: [redacted:api-key]"},
		{"AWS secret", "aws_secret_access_key = " + strings.Repeat("aB3/", 10), "aws_secret_access_key = [redacted:aws-secret-key]"},
		{"AWS JSON", `"SecretAccessKey": "` + strings.Repeat("aB3/", 10) + `"`, `"SecretAccessKey": "[redacted:aws-secret-key]"`},
		{"Azure", "AccountKey=" + strings.Repeat("aB3+", 21) + "a==;E=x", "AccountKey=[redacted:azure-key];E=x"},
		{"state path", "open /var/lib/palisade/log/key: no", "open [redacted:host-path]: no"},
		{"home", "file:///home/alice/x.py", "file://[redacted:host-path]"},
		{"interpreter", `File "/usr/lib/python3.11/json/decoder.py", line 3`, `File "<python>/json/decoder.py", line 3`},
		{"host and user", "Alice@build-box7.lan", "[redacted:user-name]@[redacted:host-name].lan"},
		{"after an escape", `a\n` + sampleKey + ` b\x00` + sampleGitHub + ` c\u202e/home/alice/x \U000e0041` + sampleKey, `a\n[redacted:aws-access-key] b\x00[redacted:github-token] c\u202e[redacted:host-path] \U000e0041[redacted:aws-access-key]`},
		{"a placeholder stays", "[redacted:jwt] [redacted:host-path]", "[redacted:jwt] [redacted:host-path]"},
	} {
		if got := r.String(c.in); got != c.want {
			t.Errorf("%s: String(%q)\n got %q\nwant %q", c.name, c.in, got, c.want)
		}
	}
}

// TestOrdinaryOutput holds redaction to leaving ordinary output alone.
func TestOrdinaryOutput(t *testing.T) {
	r := New(sampleConfig)
	for _, s := range []string{
		"3.141592653589793 42 -7 1e-12 0x1f 1_000_000 " + strings.Repeat("123456789", 300),
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"4b1d44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855a",
		"550e8400-e29b-41d4-a716-446655440000 d41d8cd98f00b204e9800998ecf8427e",
		"QmFzZTY0IGRhdGEgb2Ygbm90aGluZyBpbiBwYXJ0aWN1bGFyLCBidXQgbG9uZyBlbm91Z2g=",
		"password: hunter2 token = abc secret: xyzzy api_key=none",
		"sk-learn sk_test_name xapp- ghp_short AKIAshort AKIAIOSFODNN7EXAMPLEX EAAC npm_config_registry",
		"https://example.com:8080/a@b?c=http://x:y http://[::1]:80/ git@github.com:a/b postgres://u:$PASS@h ftp://u:***@h",
		"Authorization: required. Bearer of bad news. authorization = None",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----\nMIIB\n",
		"eyJhbGciOiJIUzI1NiJ9 alone, eyJ.eyJ. too",
		"/var/lib/palisades /usr/lib/python3.110 /work/var/lib/palisade2 a/usr/lib/python3.11/x",
		"root of 9 is 3; square root, vm, 1234567, malice, alices",
		"['a', 'b'] {'x': [1, 2]} [redacted: no] [redacted",
	} {
		if got := r.String(s); got != s {
			t.Errorf("ordinary output was changed:\n got %q\nwant %q", got, s)
		}
	}
}

// TestCut leaves no part of a secret at the place where text was left out.
func TestCut(t *testing.T) {
	r := New(sampleConfig)
	secrets := map[string]string{
		"AWS": sampleKey, "GitHub": sampleGitHub, "JWT": sampleJWT, "PEM": samplePEM,
		"PEM in JSON": strings.ReplaceAll(samplePEM, "\n", `\n`),
		"URL":         "postgres://app:s3cretpa55word@db:5432/x", "header": "Authorization: Bearer abcdef.123456789",
		"path": "/var/lib/palisade/state/log.key",
	}
	for name, secret := range secrets {
		before, after := "some output\nvalue=", "\nmore output\nend\n"
		text := before + secret + after
		for headEnd := len(before); headEnd <= len(before)+len(secret); headEnd++ {
			for _, tailStart := range []int{headEnd + 1, headEnd + 30, headEnd + 100} {
				if tailStart > len(before)+len(secret) {
					tailStart = len(before) + len(secret)
				}
				head, tail := r.CleanCut([]byte(text[:headEnd]), []byte(text[tailStart:]))
				if !strings.HasPrefix(head, "some output\n") || !strings.HasSuffix(tail, "end\n") {
					t.Fatalf("%s cut at %d: other output is lost: %q … %q", name, headEnd, head, tail)
				}
				for n := 0; n+8 <= len(secret); n++ {
					part := secret[n : n+8]
					if public(part) {
						continue
					}
					if strings.Contains(head, part) || strings.Contains(tail, part) {
						t.Fatalf("%s cut at %d and %d: %q is left in %q … %q", name, headEnd, tailStart, part, head, tail)
					}
				}
			}
		}
	}
}

// public reports whether a part of a sample secret is no secret.
func public(part string) bool {
	for _, text := range []string{"postgres://app:", "Authorization: Bearer ", "@db:5432/x", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "/var/lib/palisade"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// TestWriter: however a text is split, it comes out the same.
func TestWriter(t *testing.T) {
	r := New(sampleConfig)
	text := "start\r\n" + sampleKey + " " + sampleJWT + "\n\x1b[31m" + samplePEM + "\x1b[0m\n" +
		"postgres://a:s3cret@h/x é日本 \xff Authorization: Bearer abcdefgh123 /var/lib/palisade/x build-box7 [redacted:jwt] " + sampleGitHub
	want := r.Clean([]byte(text))
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		var out bytes.Buffer
		w := r.Writer(&out)
		for rest := []byte(text); len(rest) > 0; {
			n := 1
			if round > 0 {
				n = min(len(rest), 1+random.IntN(1+round))
			}
			if got, err := w.Write(rest[:n]); got != n || err != nil {
				t.Fatalf("Write = %d, %v", got, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Fatalf("round %d:\n got %q\nwant %q", round, out.String(), want)
		}
	}
}

func TestWriterPassesOn(t *testing.T) {
	r := New(Config{})
	var out bytes.Buffer
	w := r.Writer(&out)
	for _, s := range []string{"Name: ", "50%\n", "…", "x y\n"} {
		out.Reset()
		if _, err := w.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if out.String() != s {
			t.Errorf("after %q there is %q", s, out.String())
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("a closed writer writes")
	}
}

// TestHeld bounds the memory of a writer on input made to be held.
func TestHeld(t *testing.T) {
	r := New(sampleConfig)
	for _, seed := range []string{"eyJ", "x://", "Authorization: Bearer ", "-----BEGIN ", "\x1b]", "\x1b[", "\x1b ", "\u009d", "\r", "-----BEGIN PRIVATE KEY-----\n", "ghp_", "[redacted:", "/var/lib/palisade", "\xc3"} {
		for _, fill := range []string{"a", "a.", "-", "9", " ", "\n", seed, "@:"} {
			w := r.Writer(discard{}).(*writer)
			for range 40_000 / len(fill) {
				if _, err := w.Write([]byte(fill)); err != nil {
					t.Fatal(err)
				}
				if n := len(w.clean.held) + len(w.text.held); n > MaxHeld {
					t.Fatalf("%q and %q: %d bytes are held", seed, fill, n)
				}
			}
			if fill == "a" {
				if _, err := w.Write([]byte(seed)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func FuzzRedact(f *testing.F) {
	for _, s := range []string{sampleKey, sampleGitHub, sampleJWT, samplePEM, samplePGP, "x://a:b@c", "Authorization: Bearer abcdefgh", "/var/lib/palisade/x", "\x1b[31m\r\n", "[redacted:x]"} {
		f.Add([]byte(s+" "+s+s), uint16(7))
	}
	r := New(sampleConfig)
	f.Fuzz(func(t *testing.T, b []byte, split uint16) {
		whole := r.Clean(b)
		fixed(t, whole)
		if again := r.Clean([]byte(whole)); again != whole {
			t.Errorf("not idempotent:\n%q\n%q", whole, again)
		}
		at := min(int(split), len(b))
		var out bytes.Buffer
		w := r.Writer(&out)
		for _, part := range [][]byte{b[:at], b[at:]} {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != whole {
			t.Errorf("split at %d:\n got %q\nwant %q", at, out.String(), whole)
		}
		head, tail := r.CleanCut(b[:at], b[at:])
		fixed(t, head)
		fixed(t, tail)
	})
}

func BenchmarkClean(b *testing.B) {
	lines := []string{"the answer is 42 and every step is shown\n", "def solution():\n    return sum(range(10)) / 3.0\n", "2024-01-01 INFO https://example.com/a/b?c=d sk gh ey -- [1, 2]\n"}
	for name, text := range map[string]string{"text": strings.Repeat(strings.Join(lines, ""), 430), "hostile": strings.Repeat("eyJ ghp_ sk- x:// AKIA ", 2800), "dense": strings.Repeat("eyJa://b-ghp_-", 4600)} {
		b.Run(name, func(b *testing.B) {
			r := New(sampleConfig)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Clean([]byte(text))
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(sampleConfig)
	}
}
