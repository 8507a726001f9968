package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"palisade/internal/yamlfile"
)

// folder is a state folder with a config.yaml.
func folder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if text != "" {
		put(t, filepath.Join(dir, fileName), text)
	}
	return dir
}

func put(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// nowhere is a machine's file that is not there.
func nowhere(t *testing.T) string { return filepath.Join(t.TempDir(), "none.yaml") }

func TestWrongFilesAreRefused(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"unknown key", "stat: /x\n", `:1:1: stat: unknown key "stat"; did you mean state?; docs/guide/configuration.md has every key`},
		{"unknown nested", "audit:\n  keys: /x\n", `:2:3: audit.keys: unknown key "keys"; did you mean key?`},
		{"flat key", "audit.key: /x\n", "unknown key"},
		{"duplicate", "state: /x\nstate: /y\n", ":2:1: "},
		{"not a map", "- a\n", "a list stands here"},
		{"section", "audit: /x\n", "a value stands here; write a map"},
		{"path", "state: ~/x\n", ":1:8: state: ~ is not expanded here"},
		{"policy", "policy: /x\n", "a value stands here; write a list"},
		{"expiry", "approvals: {expiry: 1 hour}\n", `"1 hour" is not a time`},
		{"long expiry", "approvals: {expiry: 1000h}\n", "out of range"},
		{"self", "approvals: {self: yes}\n", `"yes" is not a yes or no; write true or false`},
		{"level", "log: {level: loud}\n", `"loud" is not known; known here: debug, info, warn, error`},
		{"grants", "callers: {doors: {go: data}}\n", "a value stands here; write a list"},
		{"mirror kind", "audit: {mirrors: [{kind: cloud}]}\n", "known here: folder, syslog, command"},
		{"no mirror kind", "audit: {mirrors: [{folder: /x}]}\n", "a mirror needs a kind"},
		{"mirror folder", "audit: {mirrors: [{kind: folder}]}\n", "needs a folder"},
		{"mirror command", "audit: {mirrors: [{kind: command, command: [cp]}]}\n", "needs the absolute path of a program"},
		{"mirror mixed", "audit: {mirrors: [{kind: syslog, folder: /x}]}\n", "folder means nothing to a mirror of kind syslog"},
		{"database", "store: {database: 'mysql://x/y'}\n", "not the URL of a PostgreSQL database"},
		{"database, no URL", "store: {database: 'postgres://a:hunter2@%zz/x'}\n", "not the URL of a PostgreSQL database"},
		{"listen", "serve:\n  listen: nowhere\n", `:2:11: serve.listen: "nowhere" is no address; write host:port, such as 127.0.0.1:8080`},
		{"e2b", "serve: {e2b: 49999}\n", `:1:14: serve.e2b: "49999" is no address`},
		{"retention", "store: {retention: 999h}\n", "out of range"},
		{"session", "auth: {oidc: {session: 25h}}\n", "out of range"},
		{"oidc", "auth: {oidc: {issuer: 'https://x', client: y, redirect: 'https://z'}}\n", "a login needs rules"},
		{"oidc, no client", "auth: {oidc: {issuer: 'https://x', redirect: 'https://z', rules: [{claim: a, value: b, tenant: c, roles: [admin]}]}}\n", "a login needs client"},
		{"oidc rule", "auth: {oidc: {issuer: 'https://x', client: y, redirect: 'https://z', rules: [{claim: a, value: b, roles: [admin]}]}}\n", "a rule needs a claim, its value, a tenant and roles"},
		{"oidc key", "auth: {oidc: {isuer: x}}\n", `unknown key "isuer"`},
		{"anchors", "state: &a /x\n", "anchors"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(Options{Home: folder(t, c.text), System: nowhere(t)})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
			if problems := (yamlfile.Problems)(nil); !errors.As(err, &problems) {
				t.Errorf("a %T", err)
			}
			if problems := Check("/x/config.yaml", []byte(c.text)); len(problems) == 0 || problems[0].Fix == "" {
				t.Errorf("Check: %v", problems)
			}
		})
	}
	for _, o := range []Options{
		{Home: folder(t, ""), File: nowhere(t), System: nowhere(t)},
		{System: nowhere(t), UID: 1000},
		{System: nowhere(t), UID: 1000, Environ: []string{"XDG_STATE_HOME=relative"}},
		{System: put(t, filepath.Join(t.TempDir(), "c"), "stat: x\n"), Home: t.TempDir()},
	} {
		if _, err := Load(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	open := folder(t, "log: {level: info}\n")
	if err := os.Chmod(filepath.Join(open, fileName), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Options{Home: open, System: nowhere(t)}); !errors.Is(err, yamlfile.ErrWritable) {
		t.Errorf("a file that everyone may write was taken: %v", err)
	}
}

func TestOrder(t *testing.T) {
	system := put(t, filepath.Join(t.TempDir(), "system.yaml"), "log: {level: error, format: json}\napprovals: {expiry: 2h}\nruntime: {python: /a}\n")
	home := folder(t, "log: {level: info}\nruntime: {python: /b}\ndefault_profile: pal\npolicy: [mine.yaml, /abs/x.yaml]\n")
	c, err := Load(Options{Home: home, System: system, Environ: []string{"PALISADE_RUNTIME_PYTHON=/c", "PALISADE_APPROVALS_APPROVERS=uid:1, uid:2", "OTHER=1", "PALISADE_REQUIRE=python"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Set("default_profile", "data", "--profile"); err != nil {
		t.Fatal(err)
	}
	if c.Log != (Log{"info", "json"}) || c.Approvals.Expiry != 2*time.Hour || c.Runtime.Python != "/c" || c.DefaultProfile != "data" {
		t.Errorf("%+v", c)
	}
	if !slices.Equal(c.Policy, []string{filepath.Join(home, "mine.yaml"), "/abs/x.yaml"}) || !slices.Equal(c.Approvals.Approvers, []string{"uid:1", "uid:2"}) {
		t.Errorf("%v %v", c.Policy, c.Approvals.Approvers)
	}
	if c.State != home || c.Audit.Folder != home+"/audit" || c.Audit.Key != home+"/keys/audit.key" || c.Audit.PublicKey != home+"/keys/audit.pub" || c.Sandbox.Images != "/var/cache/palisade/images" {
		t.Errorf("%+v", c)
	}
	if !slices.Equal(c.Files, []string{system, filepath.Join(home, fileName)}) {
		t.Error(c.Files)
	}
	want := map[string]string{
		"state": "--home", "log.level": filepath.Join(home, fileName) + ":1", "log.format": system + ":1", "approvals.expiry": system + ":2",
		"runtime.python": "PALISADE_RUNTIME_PYTHON", "default_profile": "--profile", "audit.key": "default",
	}
	for _, v := range c.Show() {
		if origin, ok := want[v.Key]; ok && v.Origin != origin {
			t.Errorf("%s comes from %s, want %s", v.Key, v.Origin, origin)
		}
	}
	if text := c.String(); !strings.Contains(text, "approvals.expiry") || !strings.Contains(text, "2h0m0s") {
		t.Error(text)
	}
}

// TestCommands: what the shell's box holds, from a file and a variable; an empty
// list is a list.
func TestCommands(t *testing.T) {
	home := folder(t, "runtime: {shell: {path: /opt/bash, commands: [ls, /opt/x/tool]}, node: {path: /opt/node}}\n")
	c, err := Load(Options{Home: home, System: nowhere(t)})
	if err != nil {
		t.Fatal(err)
	}
	if c.Runtime.Shell.Path != "/opt/bash" || c.Runtime.Node.Path != "/opt/node" || !slices.Equal(c.Runtime.Shell.Commands, []string{"ls", "/opt/x/tool"}) || c.Runtime.Python != "/usr/bin/python3" {
		t.Errorf("%+v", c.Runtime)
	}
	c, err = Load(Options{Home: home, System: nowhere(t), Environ: []string{"PALISADE_RUNTIME_SHELL_COMMANDS=cat, sort"}})
	if err != nil || !slices.Equal(c.Runtime.Shell.Commands, []string{"cat", "sort"}) {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = Load(Options{Home: folder(t, "runtime: {shell: {commands: []}}\n"), System: nowhere(t)})
	if err != nil || c.Runtime.Shell.Commands == nil || len(c.Runtime.Shell.Commands) > 0 || c.Runtime.Shell.Path != "/bin/bash" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []string{"[../x]", "[a b]", "['']", "ls", "[{}]"} {
		if _, err := Load(Options{Home: folder(t, "runtime: {shell: {commands: "+bad+"}}\n"), System: nowhere(t)}); err == nil {
			t.Errorf("commands: %s was taken", bad)
		}
	}
	for _, bad := range []string{"{shell: /bin/bash}", "{shell: {pth: /x}}", "{node: {}, nodes: {}}"} {
		if _, err := Load(Options{Home: folder(t, "runtime: "+bad+"\n"), System: nowhere(t)}); err == nil {
			t.Errorf("runtime: %s was taken", bad)
		}
	}
}

// TestPasswordsAreNotShown: a database's name may hold one.
func TestPasswordsAreNotShown(t *testing.T) {
	for _, dsn := range []string{"postgres://gate:hunter2@db.example.org/index?sslmode=verify-full", "postgres://db/index?password=hunter2&user=gate&sslPassword=hunter2"} {
		c := &Config{origins: map[string]string{}}
		if err := c.Set("store.database", dsn, "--flag"); err != nil {
			t.Error(err)
		}
		if text := c.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, "store.database") || !strings.Contains(text, "postgres://") {
			t.Error(text)
		}
		if c.Store.Postgres() != dsn {
			t.Error(c.Store)
		}
	}
}

// TestOIDCConfig: a whole login, as text and in the list of keys.
func TestOIDCConfig(t *testing.T) {
	home := folder(t, "auth: {oidc: {session: 30m, issuer: 'https://login', client: c, secret_file: s, redirect: 'https://gate/auth/callback', scopes: [groups], name: email, rules: [{claim: groups, value: x, tenant: acme, roles: [approver], profiles: [pal]}]}}\n")
	c, err := Load(Options{Home: home, System: nowhere(t)})
	want := OIDC{"https://login", "c", filepath.Join(home, "s"), "https://gate/auth/callback", []string{"groups"}, "email", 30 * time.Minute, []OIDCRule{{"groups", "x", "acme", []string{"approver"}, []string{"pal"}}}}
	if err != nil || !reflect.DeepEqual(c.Auth.OIDC, want) {
		t.Errorf("%+v, %v", c.Auth, err)
	}
	if text := c.String(); !strings.Contains(text, "issuer https://login, client c, 1 rules") {
		t.Error(text)
	}
	if c.Store.Database != filepath.Join(home, "index", "index.db") || c.Store.Postgres() != "" || c.Store.Retention != 24*time.Hour {
		t.Errorf("%+v", c.Store)
	}
}

func TestStateFolder(t *testing.T) {
	system := put(t, filepath.Join(t.TempDir(), "system.yaml"), "state: /srv/gate\n")
	cases := []struct {
		o    Options
		want string
	}{
		{Options{Home: "/h", Environ: []string{"PALISADE_HOME=/p"}, System: system}, "/h"},
		{Options{Environ: []string{"PALISADE_HOME=/p"}, System: system}, "/p"},
		{Options{System: system}, "/srv/gate"},
		{Options{System: nowhere(t)}, "/var/lib/palisade"},
		{Options{UID: 1000, System: nowhere(t), Environ: []string{"XDG_STATE_HOME=/xdg", "HOME=/home/u"}}, "/xdg/palisade"},
		{Options{UID: 1000, System: nowhere(t), Environ: []string{"HOME=/home/u"}}, "/home/u/.local/state/palisade"},
	}
	for _, c := range cases {
		got, err := Load(c.o)
		if err != nil || got.State != c.want || got.Audit.Folder != c.want+"/audit" {
			t.Errorf("%+v: %v %v", c.o, got, err)
		}
	}
	// A file in the state folder cannot move the folder that was named.
	home := folder(t, "state: /elsewhere\n")
	if c, err := Load(Options{Home: home, System: nowhere(t)}); err != nil || c.State != home {
		t.Errorf("%v %v", c, err)
	}
}

func TestVariables(t *testing.T) {
	load := func(environ ...string) error {
		_, err := Load(Options{Home: t.TempDir(), System: nowhere(t), Environ: environ})
		return err
	}
	for pair, want := range map[string]string{
		"PALISADE_LOG_LEVL=info":       "did you mean PALISADE_LOG_LEVEL?",
		"PALISADE_LOG_LEVEL=loud":      `PALISADE_LOG_LEVEL: log.level: "loud" is not known`,
		"PALISADE_APPROVALS_SELF=true": "approvals.self cannot be set by PALISADE_APPROVALS_SELF",
	} {
		if err := load(pair); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pair, err)
		}
	}
	for _, fine := range []string{"PALISADE_DEMO_HOME=x", "PALISADE_APPROVALS_SELF=false", "PALISADE_AUDIT_MIRRORS=x", "PALISADE_LOG_LEVEL=debug"} {
		if err := load(fine); err != nil {
			t.Errorf("%s: %v", fine, err)
		}
	}
	c := &Config{origins: map[string]string{}}
	for key, value := range map[string]string{"nothing": "x", "callers.doors": "x", "approvals.self": "true", "log.level": "x"} {
		if err := c.Set(key, value, "--flag"); err == nil {
			t.Errorf("%s=%s was taken", key, value)
		}
	}
	if err := c.Set("policy", "/a.yaml:b.yaml", "--policy"); err != nil || len(c.Policy) != 2 || !filepath.IsAbs(c.Policy[1]) {
		t.Error(c.Policy, err)
	}
}

func TestSelfApprovalNeedsRoot(t *testing.T) {
	const text = "approvals: {self: true}\n"
	_, err := Load(Options{Home: folder(t, text), System: nowhere(t)})
	if err == nil || !strings.Contains(err.Error(), "/etc/palisade/config.yaml, owned by root") {
		t.Errorf("below a folder that everyone may write to: %v", err)
	}
	if os.Getuid() != 0 {
		t.Skip("only root can make a file that only root can write")
	}
	dir, err := os.MkdirTemp("/var/lib", "palisade-config-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	name := put(t, filepath.Join(dir, fileName), text)
	self := func(name string) (bool, error) {
		c, err := Load(Options{Home: t.TempDir(), System: name})
		return err == nil && c.Approvals.Self, err
	}
	if on, err := self(name); !on {
		t.Errorf("root's own file was refused: %v", err)
	}
	for what, spoil := range map[string]func() error{
		"the file is another's":               func() error { return os.Chown(name, 1000, 0) },
		"the file is writable by its group":   func() error { return os.Chmod(name, 0o620) },
		"the folder is writable by its group": func() error { return os.Chmod(dir, 0o770) },
		"the folder is another's":             func() error { return os.Chown(dir, 1000, 0) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if on, err := self(name); on || err == nil {
			t.Errorf("%s: taken", what)
		}
		for _, mend := range []func() error{
			func() error { return os.Chown(name, 0, 0) }, func() error { return os.Chmod(name, 0o600) },
			func() error { return os.Chown(dir, 0, 0) }, func() error { return os.Chmod(dir, 0o700) },
		} {
			if err := mend(); err != nil {
				t.Fatal(err)
			}
		}
	}
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	if on, err := self(link); on || err == nil {
		t.Error("a symbolic link was taken")
	}
	if on, err := self(name); !on {
		t.Errorf("mended and still refused: %v", err)
	}
}

// TestApproversOfTheMachine: whoever asks does not choose who answers.
func TestApproversOfTheMachine(t *testing.T) {
	system := put(t, filepath.Join(t.TempDir(), "system.yaml"), "approvals: {approvers: ['uid:0']}\n")
	const other = "approvals: {approvers: ['uid:1000']}\n"
	for what, o := range map[string]Options{
		"the state folder's file":  {Home: folder(t, other)},
		"a file that a flag names": {Home: t.TempDir(), File: put(t, filepath.Join(t.TempDir(), "c.yaml"), other)},
		"a variable":               {Home: t.TempDir(), Environ: []string{"PALISADE_APPROVALS_APPROVERS=uid:1000"}},
		"an empty list":            {Home: folder(t, "approvals: {approvers: []}\n")},
	} {
		o.System = system
		if c, err := Load(o); err == nil || !strings.Contains(err.Error(), "the machine's configuration names the approvers") {
			t.Errorf("%s: %v, %v", what, c, err)
		}
	}
	c, err := Load(Options{Home: t.TempDir(), System: system})
	if err != nil || !slices.Equal(c.Approvals.Approvers, []string{"uid:0"}) {
		t.Fatal(c, err)
	}
	if err := c.Set("approvals.approvers", "uid:1000", "--flag"); err == nil {
		t.Error("a flag replaced them")
	}
}

// TestTheStructIsOneTable holds the struct and the table of keys to each other,
// and both to their size.
func TestTheStructIsOneTable(t *testing.T) {
	var fields []string
	var walk func(reflect.Type, string)
	walk = func(s reflect.Type, path string) {
		for i := range s.NumField() {
			name, ok := s.Field(i).Tag.Lookup("key")
			if !ok {
				continue
			}
			if s.Field(i).Type.Kind() == reflect.Struct && s.Field(i).Type != reflect.TypeFor[OIDC]() {
				walk(s.Field(i).Type, yamlfile.Join(path, name))
				continue
			}
			fields = append(fields, yamlfile.Join(path, name))
		}
	}
	walk(reflect.TypeFor[Config](), "")
	slices.Sort(fields)
	if !slices.Equal(fields, Keys()) {
		t.Errorf("the struct has %v\nthe table has %v", fields, Keys())
	}
	// Of 40 for the gate; a server has 16 that mean nothing to anything else.
	if n := len(fields) + reflect.TypeFor[Mirror]().NumField(); n > 56 {
		t.Errorf("%d fields, at most 56", n)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte("state: /x\naudit: {mirrors: [{kind: folder, folder: /y}]}\napprovals: {expiry: 1h, self: true}\n"))
	f.Add([]byte("callers: {doors: {go: ['*']}, submitters: {'uid:1': [pal]}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range Check("/f", data) {
			if p.Message == "" {
				t.Fatal("an empty complaint")
			}
		}
	})
}

func TestImagesAreACache(t *testing.T) {
	for _, c := range []struct {
		uid     int
		environ []string
		want    string
	}{
		{0, nil, "/var/cache/palisade/images"},
		{1000, []string{"XDG_CACHE_HOME=/c", "HOME=/h"}, "/c/palisade/images"},
		{1000, []string{"XDG_CACHE_HOME=relative", "HOME=/h"}, "/h/.cache/palisade/images"},
		{1000, nil, "/state/images"},
	} {
		got, err := Load(Options{Home: "/state", System: nowhere(t), UID: c.uid, Environ: c.environ})
		if err != nil || got.Sandbox.Images != c.want {
			t.Errorf("uid %d, %v: %q (%v), want %q", c.uid, c.environ, got.Sandbox.Images, err, c.want)
		}
	}
}

// A state folder of another user: who named it, and what to do.
func TestAnotherUsersFolder(t *testing.T) {
	denied := &os.PathError{Op: "open", Path: "/x/config.yaml", Err: os.ErrPermission}
	for origin, want := range map[string]string{
		"--home":        "the state folder is /x (by --home): name one of your own with --home or PALISADE_HOME",
		"PALISADE_HOME": "(by PALISADE_HOME)",
		"default":       "as neither --home nor PALISADE_HOME names one",
	} {
		c := &Config{State: "/x", origins: map[string]string{"state": origin}}
		if err := c.unreadable("/x/config.yaml", denied); !strings.Contains(err.Error(), want) || !errors.Is(err, os.ErrPermission) {
			t.Errorf("%s: %v", origin, err)
		}
		if err := c.unreadable("/etc/palisade/config.yaml", denied); strings.Contains(err.Error(), "--home") {
			t.Errorf("the machine's file: %v", err)
		}
	}
}

// TestGuide holds the guide to the keys: each stands on it with its variable, and
// every example reads.
func TestGuide(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	used := map[string]bool{}
	for i, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1) {
		for _, p := range Check("/x/config.yaml", []byte(block[1])) {
			t.Errorf("example %d: %s", i, p)
		}
		c := &Config{origins: map[string]string{}}
		if err := c.readText("/x/config.yaml", []byte(block[1])); err != nil {
			t.Error(err)
		}
		for key := range c.origins {
			used[key] = true
		}
		for _, m := range c.Audit.Mirrors {
			used[m.Kind] = true
		}
	}
	for _, key := range Keys() {
		if !strings.Contains(page, "\n| `"+key+"` | ") {
			t.Errorf("%s has no row", key)
		}
		if !used[key] && key != "approvals.self" { // that one only root's file may set
			t.Errorf("%s has no example", key)
		}
		if !slices.Contains(noVariable, key) && key != "state" && key != "approvals.self" && !strings.Contains(page, "`"+variable(key)+"`") {
			t.Errorf("%s: %s is not there", key, variable(key))
		}
	}
	for _, kind := range []string{"folder", "syslog", "command"} {
		if !used[kind] {
			t.Errorf("no example of a mirror of kind %s", kind)
		}
	}
}
