package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"palisade/internal/yamlfile"
)

// SystemFile is the machine's configuration file.
const SystemFile = "/etc/palisade/config.yaml"

// fileName is the configuration file in the state folder.
const fileName = "config.yaml"

// Problem is one complaint about a configuration file.
type Problem = yamlfile.Problem

// Options say where to look. The zero value looks in the usual places with an
// empty environment.
type Options struct {
	// Home is the state folder that a flag names.
	Home string
	// File is the configuration file that a flag names; it must be there. It
	// is read instead of the state folder's.
	File string
	// Environ is the environment, as os.Environ gives it.
	Environ []string
	// UID is the user who runs the gate.
	UID int
	// System is read first where it exists. Empty: SystemFile.
	System string
	// Stateless takes that nothing says where the state folder is: what is
	// asked for needs none.
	Stateless bool
}

// Load reads the configuration. An error that is about the text of a file or a
// variable is of type [yamlfile.Problems].
func Load(o Options) (*Config, error) {
	if o.System == "" {
		o.System = SystemFile
	}
	env := variables(o.Environ)
	c := &Config{origins: map[string]string{}, cache: cacheFolder(o.UID, env)}
	c.defaults()
	if err := c.readFile(o.System, false); err != nil {
		return nil, err
	}
	c.pinned = len(c.Approvals.Approvers) > 0
	if err := c.placeState(o, env); err != nil && !o.Stateless {
		return nil, err
	}
	name, named := filepath.Join(c.State, fileName), false
	if o.File != "" {
		name, named = o.File, true
	}
	if c.State == "" && !named {
		// nowhere to read from
	} else if name, err := filepath.Abs(name); err != nil {
		return nil, err
	} else if err := c.readFile(name, named); err != nil {
		return nil, err
	}
	if c.home != "" {
		c.State = c.home
	}
	if err := c.readEnvironment(env); err != nil {
		return nil, err
	}
	c.derive()
	return c, nil
}

// Check reads the text of one file and returns what is wrong with it. Whether
// it may set what only root may is judged by the file of that name.
func Check(name string, data []byte) []Problem {
	c := &Config{origins: map[string]string{}}
	var problems yamlfile.Problems
	if err := c.readText(name, data); err != nil && !errors.As(err, &problems) {
		return []Problem{{File: name, Message: err.Error()}}
	}
	return problems
}

// Set changes one key as a flag does: a list's items are separated by commas,
// paths by colons.
func (c *Config) Set(key, value, origin string) error {
	r := &reader{c: c, src: source{name: origin, trusted: untrusted(origin)}}
	if dir, err := os.Getwd(); err == nil {
		r.src.base = dir
	}
	if err := r.single(key, value); err != nil {
		return err
	}
	c.derive()
	return nil
}

func untrusted(origin string) func() error {
	return func() error {
		return fmt.Errorf("approvals.self cannot be set by %s", origin)
	}
}

func (c *Config) defaults() {
	c.Approvals.Expiry = time.Hour
	c.Runtime = Runtime{Python: "/usr/bin/python3", Shell: Shell{Path: "/bin/bash"}}
	c.Store.Retention = 24 * time.Hour
	c.Serve = Serve{Listen: "127.0.0.1:8080", Connections: 1024, Body: 32 << 20, Artifacts: Kept{24 * time.Hour, 1 << 30}, Drain: 30 * time.Second}
	c.Log = Log{Level: "warn", Format: "text"}
}

// derive fills in places that follow from the state folder.
func (c *Config) derive() {
	for _, one := range []struct {
		key  string
		into *string
		rel  string
	}{
		{"audit.folder", &c.Audit.Folder, "audit"},
		{"audit.key", &c.Audit.Key, "keys/audit.key"},
		{"store.database", &c.Store.Database, "index/index.db"},
	} {
		if c.origins[one.key] == "" {
			*one.into = filepath.Join(c.State, one.rel)
		}
	}
	if c.origins["sandbox.images"] == "" {
		c.Sandbox.Images = filepath.Join(c.cache, "images")
		if c.cache == "" {
			c.Sandbox.Images = filepath.Join(c.State, "images")
		}
	}
	if c.origins["audit.public_key"] == "" {
		c.Audit.PublicKey = filepath.Join(filepath.Dir(c.Audit.Key), "audit.pub")
	}
}

// placeState finds the state folder.
func (c *Config) placeState(o Options, env map[string]string) error {
	home, origin := o.Home, "--home"
	if home == "" {
		home, origin = env["PALISADE_HOME"], "PALISADE_HOME"
	}
	if home != "" {
		abs, err := filepath.Abs(home)
		if err != nil {
			return fmt.Errorf("state folder: %w", err)
		}
		c.State, c.home = abs, abs
		c.origins["state"] = origin
		return nil
	}
	if c.State != "" { // the machine's file says so
		return nil
	}
	c.origins["state"] = "default"
	if o.UID == 0 {
		c.State = "/var/lib/palisade"
		return nil
	}
	// The XDG base directory specification takes absolute paths only.
	if base := env["XDG_STATE_HOME"]; filepath.IsAbs(base) {
		c.State = filepath.Join(base, "palisade")
		return nil
	}
	if base := env["HOME"]; filepath.IsAbs(base) {
		c.State = filepath.Join(base, ".local", "state", "palisade")
		return nil
	}
	return errors.New("state folder: neither PALISADE_HOME, XDG_STATE_HOME nor HOME says where it is: set PALISADE_HOME")
}

// cacheFolder is where what can be made again goes, shared by all state
// folders of a user. Empty: the environment names no place.
func cacheFolder(uid int, env map[string]string) string {
	switch {
	case uid == 0:
		return "/var/cache/palisade"
	case filepath.IsAbs(env["XDG_CACHE_HOME"]):
		return filepath.Join(env["XDG_CACHE_HOME"], "palisade")
	case filepath.IsAbs(env["HOME"]):
		return filepath.Join(env["HOME"], ".cache", "palisade")
	}
	return ""
}

func (c *Config) readFile(name string, required bool) error {
	data, err := yamlfile.Read(name)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil
	}
	if err != nil {
		return c.unreadable(name, err)
	}
	c.Files = append(c.Files, name)
	return c.readText(name, data)
}

// unreadable says why a file cannot be read; of one in a state folder that is
// another user's, also who named that folder.
func (c *Config) unreadable(name string, err error) error {
	err = fmt.Errorf("configuration: %w", err)
	if !errors.Is(err, fs.ErrPermission) || c.State == "" || name != filepath.Join(c.State, fileName) {
		return err
	}
	by := "by " + c.origins["state"]
	if by == "by default" {
		by = "by default, as neither --home nor PALISADE_HOME names one"
	}
	return fmt.Errorf("%w: the state folder is %s (%s): name one of your own with --home or PALISADE_HOME", err, c.State, by)
}

func (c *Config) readText(name string, data []byte) error {
	root, err := yamlfile.Parse(name, data)
	if err != nil {
		return err
	}
	// The state folder is where a flag or the environment puts it, whatever a
	// file says; but a wrong line is a wrong line.
	origin := c.origins["state"]
	r := &reader{c: c, src: source{name: name, base: filepath.Dir(name), trusted: func() error { return RootOnly(name) }}}
	r.file(root)
	if c.home != "" {
		c.State, c.origins["state"] = c.home, origin
	}
	for i, p := range r.Problems {
		if strings.HasPrefix(p.Message, "unknown key") {
			r.Problems[i].Fix = p.Fix + "; docs/guide/configuration.md has every key"
		}
	}
	return r.Problems.Err()
}

// variables returns the environment as a map.
func variables(environ []string) map[string]string {
	out := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			out[name] = value
		}
	}
	return out
}

// variable is the name of the variable that sets a key.
func variable(key string) string {
	return "PALISADE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// noVariable are keys that have no form in one line of text.
var noVariable = []string{"callers.doors", "callers.submitters", "audit.mirrors", "egress.secrets", "auth.oidc"}

// readEnvironment reads PALISADE_* variables. One that is almost the name of a
// key is an error; others are left to whoever they belong to.
func (c *Config) readEnvironment(env map[string]string) error {
	byVariable := map[string]string{}
	for _, key := range Keys() {
		if !slices.Contains(noVariable, key) && key != "state" {
			byVariable[variable(key)] = key
		}
	}
	known := slices.Sorted(maps.Keys(byVariable))
	var problems yamlfile.Problems
	for _, name := range slices.Sorted(maps.Keys(env)) {
		key, ok := byVariable[name]
		if !ok {
			if near := yamlfile.Nearest(name, known); near != "" && strings.HasPrefix(name, "PALISADE_") {
				problems = append(problems, Problem{File: name, Message: "no key has this variable", Fix: fmt.Sprintf("did you mean %s?", near)})
			}
			continue
		}
		r := &reader{c: c, src: source{name: name, trusted: untrusted(name)}}
		if dir, err := os.Getwd(); err == nil {
			r.src.base = dir
		}
		var wrong yamlfile.Problems
		if err := r.single(key, env[name]); errors.As(err, &wrong) {
			problems = append(problems, wrong...)
		}
	}
	return problems.Err()
}

// lists are the keys that hold several values, with what separates them in one
// line of text.
var lists = map[string]string{"policy": ":", "approvals.approvers": ",", "runtime.shell.commands": ","}

// single reads one key from a line of text.
func (r *reader) single(key, value string) error {
	read, ok := r.keys()[key]
	switch {
	case !ok:
		return yamlfile.Problems{{File: r.src.name, Message: fmt.Sprintf("unknown key %q", key), Fix: yamlfile.Suggest(key, Keys())}}
	case slices.Contains(noVariable, key):
		return yamlfile.Problems{{File: r.src.name, Path: key, Message: "this key cannot be set in a line of text", Fix: "set it in a file"}}
	}
	n := &yamlfile.Node{File: r.src.name, Path: key, Kind: yamlfile.Scalar, Text: value}
	if separator, ok := lists[key]; ok {
		n.Kind, n.Text = yamlfile.List, ""
		for item := range strings.SplitSeq(value, separator) {
			if item = strings.TrimSpace(item); item != "" {
				n.Items = append(n.Items, &yamlfile.Node{File: r.src.name, Path: key, Kind: yamlfile.Scalar, Text: item})
			}
		}
	}
	r.set(key, read, n)
	return r.Problems.Err()
}
