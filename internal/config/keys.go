package config

import (
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"palisade/internal/yamlfile"
)

const (
	maxExpiry  = 7 * 24 * time.Hour
	maxTimeout = 5 * time.Minute
	maxSession = 24 * time.Hour
	// maxRetention bounds how long an idempotency key is remembered.
	maxRetention = 30 * 24 * time.Hour
	maxItems     = 100
	// maxCommands bounds what a box for the shell is made of.
	maxCommands = 2000
	// What a pool may be asked to hold.
	maxPool       = 1024
	maxQueue      = 100_000
	maxPoolMemory = 1 << 40
	maxAge        = 24 * time.Hour
	// What a server may be asked to take and to wait.
	maxBody  = 256 << 20
	maxDrain = time.Hour
)

// source is where a value comes from.
type source struct {
	name string
	// base is what relative paths are relative to.
	base string
	// trusted says why the source may not set what only root may; nil: it may.
	trusted func() error
}

// reader reads values of one source into a config.
type reader struct {
	yamlfile.Decoder
	c   *Config
	src source
}

// keys are all keys with what reads them: the one table of this package.
func (r *reader) keys() map[string]func(*yamlfile.Node) {
	c := r.c
	return map[string]func(*yamlfile.Node){
		"state":                  r.path(&c.State),
		"policy":                 r.paths(&c.Policy),
		"default_profile":        r.text(&c.DefaultProfile),
		"callers.doors":          r.grants(&c.Callers.Doors),
		"callers.submitters":     r.grants(&c.Callers.Submitters),
		"audit.folder":           r.path(&c.Audit.Folder),
		"audit.key":              r.path(&c.Audit.Key),
		"audit.public_key":       r.path(&c.Audit.PublicKey),
		"audit.name":             r.text(&c.Audit.Name),
		"audit.mirrors":          r.mirrors,
		"approvals.self":         r.self,
		"approvals.expiry":       func(n *yamlfile.Node) { c.Approvals.Expiry = r.Duration(n, maxExpiry) },
		"approvals.approvers":    r.approvers,
		"approvals.webhook.url":  r.text(&c.Approvals.Webhook.URL),
		"approvals.webhook.key":  r.path(&c.Approvals.Webhook.Key),
		"runtime.python":         r.path(&c.Runtime.Python),
		"runtime.shell.path":     r.path(&c.Runtime.Shell.Path),
		"runtime.shell.commands": r.commands,
		"runtime.node.path":      r.path(&c.Runtime.Node.Path),
		"sandbox.state":          r.path(&c.Sandbox.State),
		"sandbox.images":         r.path(&c.Sandbox.Images),
		"sandbox.pool.off":       func(n *yamlfile.Node) { c.Sandbox.Pool.Off = r.Bool(n) },
		"sandbox.pool.size":      r.count(&c.Sandbox.Pool.Size, maxPool),
		"sandbox.pool.making":    r.count(&c.Sandbox.Pool.Making, maxPool),
		"sandbox.pool.memory":    func(n *yamlfile.Node) { c.Sandbox.Pool.Memory = r.Size(n, maxPoolMemory) },
		"sandbox.pool.uses":      r.count(&c.Sandbox.Pool.Uses, maxQueue),
		"sandbox.pool.age":       func(n *yamlfile.Node) { c.Sandbox.Pool.Age = r.Duration(n, maxAge) },
		"sandbox.pool.queue":     r.count(&c.Sandbox.Pool.Queue, maxQueue),
		"egress.secrets":         r.secrets,
		"store.database":         r.database,
		"store.retention":        func(n *yamlfile.Node) { c.Store.Retention = r.Duration(n, maxRetention) },
		"auth.oidc":              r.oidc,
		"serve.listen":           r.address(&c.Serve.Listen),
		"serve.certificate":      r.path(&c.Serve.Certificate),
		"serve.key":              r.path(&c.Serve.Key),
		"serve.plain":            func(n *yamlfile.Node) { c.Serve.Plain = r.Bool(n) },
		"serve.e2b":              r.address(&c.Serve.E2B),
		"serve.connections":      r.count(&c.Serve.Connections, maxQueue),
		"serve.body":             func(n *yamlfile.Node) { c.Serve.Body = r.Size(n, maxBody) },
		"serve.running":          r.count(&c.Serve.Running, maxPool),
		"serve.streams":          r.count(&c.Serve.Streams, maxQueue),
		"serve.tenant.running":   r.count(&c.Serve.Tenant.Running, maxPool),
		"serve.tenant.queue":     r.count(&c.Serve.Tenant.Queue, maxQueue),
		"serve.tenant.streams":   r.count(&c.Serve.Tenant.Streams, maxQueue),
		"serve.tenant.rate":      r.count(&c.Serve.Tenant.Rate, maxQueue),
		"serve.artifacts.age":    func(n *yamlfile.Node) { c.Serve.Artifacts.Age = r.Duration(n, maxRetention) },
		"serve.artifacts.size":   func(n *yamlfile.Node) { c.Serve.Artifacts.Size = r.Size(n, maxPoolMemory) },
		"serve.drain":            func(n *yamlfile.Node) { c.Serve.Drain = r.Duration(n, maxDrain) },
		"log.level":              r.choice(&c.Log.Level, "debug", "info", "warn", "error"),
		"log.format":             r.choice(&c.Log.Format, "text", "json"),
	}
}

// Keys returns the names of all keys, sorted.
func Keys() []string {
	r := &reader{c: &Config{}}
	return slices.Sorted(maps.Keys(r.keys()))
}

// set reads one key and notes where its value came from.
func (r *reader) set(key string, read func(*yamlfile.Node), n *yamlfile.Node) {
	before := len(r.Problems)
	if n.Kind == yamlfile.Null {
		return // a key without a value leaves things as they are
	}
	read(n)
	if len(r.Problems) == before {
		r.c.origins[key] = r.src.name
		if n.Line > 0 {
			r.c.origins[key] = n.Place()
		}
	}
}

// file reads a whole file.
func (r *reader) file(root *yamlfile.Node) {
	if root.Kind == yamlfile.Null {
		return
	}
	r.section("", root)
}

// section reads the keys below a prefix; those with a dot are sections of their
// own.
func (r *reader) section(prefix string, n *yamlfile.Node) {
	known := map[string]func(*yamlfile.Node){}
	for key, read := range r.keys() {
		rest, below := strings.CutPrefix(key, prefix)
		if !below {
			continue
		}
		name, _, nested := strings.Cut(rest, ".")
		known[name] = func(n *yamlfile.Node) { r.set(key, read, n) }
		if nested {
			known[name] = func(n *yamlfile.Node) {
				if n.Kind != yamlfile.Null {
					r.section(prefix+name+".", n)
				}
			}
		}
	}
	r.Keys(n, known)
}

func (r *reader) text(into *string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) {
		if text := r.Text(n); len(text) > 255 || strings.ContainsAny(text, "\n\t") {
			r.Fail(n, "too long for a name", "use at most 255 characters on one line")
		} else {
			*into = text
		}
	}
}

// address reads where to listen. Whether others may reach it is for whoever listens.
func (r *reader) address(into *string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) {
		text := r.Text(n)
		if _, _, err := net.SplitHostPort(text); text != "" && err != nil {
			r.Fail(n, fmt.Sprintf("%.80q is no address", text), "write host:port, such as 127.0.0.1:8080")
			return
		}
		*into = text
	}
}

// count reads a number from 1 on.
func (r *reader) count(into *int, high int64) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) { *into = int(r.Int(n, 1, high)) }
}

func (r *reader) list(into *[]string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) {
		list := r.Texts(n)
		if len(list) > maxItems {
			r.Fail(n, fmt.Sprintf("more than %d items", maxItems), "use fewer")
			return
		}
		*into = list
	}
}

// commands reads what a box for the shell holds: names, which are not looked up
// in PATH, or absolute paths.
func (r *reader) commands(n *yamlfile.Node) {
	list := append([]string{}, r.Texts(n)...) // none is not the default
	if len(list) > maxCommands {
		r.Fail(n, fmt.Sprintf("more than %d commands", maxCommands), "use fewer")
		return
	}
	for _, name := range list {
		if name == "" || len(name) > 255 || strings.ContainsAny(name, " \t\n\x00") || strings.Contains(name, "/") && !filepath.IsAbs(name) {
			r.Fail(n, fmt.Sprintf("%q is no command", name), "write the name of a program in /usr/bin, or an absolute path")
			return
		}
	}
	r.c.Runtime.Shell.Commands = list
}

func (r *reader) choice(into *string, known ...string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) {
		text := r.Text(n)
		if text != "" && !slices.Contains(known, text) {
			r.Fail(n, fmt.Sprintf("%q is not known", text), yamlfile.Suggest(text, known))
			return
		}
		*into = text
	}
}

// absolute returns a path as an absolute one: relative ones are relative to
// their file's folder.
func (r *reader) absolute(n *yamlfile.Node) string {
	text := r.Text(n)
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, "~"):
		r.Fail(n, "~ is not expanded here", "write the whole path")
		return ""
	case strings.ContainsAny(text, "\x00\n"):
		r.Fail(n, "not a path", "write it on one line")
		return ""
	case filepath.IsAbs(text):
		return filepath.Clean(text)
	case r.src.base == "":
		r.Fail(n, fmt.Sprintf("%q is relative", text), "write an absolute path")
		return ""
	}
	return filepath.Join(r.src.base, text)
}

func (r *reader) path(into *string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) { *into = r.absolute(n) }
}

func (r *reader) paths(into *[]string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) {
		var list []string
		for _, item := range r.Items(n) {
			list = append(list, r.absolute(item))
		}
		if len(list) > maxItems {
			r.Fail(n, fmt.Sprintf("more than %d files", maxItems), "use fewer")
			return
		}
		*into = list
	}
}

// grants reads who may name which profiles.
func (r *reader) grants(into *map[string][]string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) {
		grants := map[string][]string{}
		r.Each(n, func(f yamlfile.Field) {
			if f.Name == "" {
				r.Fail(f.Value, "an empty name stands here", "name a door or a submitter")
				return
			}
			grants[f.Name] = r.Texts(f.Value)
		})
		*into = grants
	}
}

// self reads approvals.self, which only root may set.
func (r *reader) self(n *yamlfile.Node) {
	on := r.Bool(n)
	if !on {
		r.c.Approvals.Self = false
		return
	}
	if err := r.src.trusted(); err != nil {
		r.Fail(n, err.Error(), "put it into /etc/palisade/config.yaml, owned by root and writable by nobody else")
		return
	}
	r.c.Approvals.Self = true
}

// approvers reads who may answer. Whom the machine's file names, whoever asks
// cannot replace by a file, a variable or a flag of their own.
func (r *reader) approvers(n *yamlfile.Node) {
	if r.c.pinned {
		r.Fail(n, "the machine's configuration names the approvers", "remove this; they are set in "+SystemFile)
		return
	}
	r.list(&r.c.Approvals.Approvers)(n)
}

func (r *reader) mirrors(n *yamlfile.Node) {
	var all []Mirror
	for _, item := range r.Items(n) {
		var m Mirror
		r.Keys(item, map[string]func(*yamlfile.Node){
			"kind":    r.choice(&m.Kind, "folder", "syslog", "command"),
			"folder":  r.path(&m.Folder),
			"socket":  r.path(&m.Socket),
			"command": r.list(&m.Command),
			"timeout": func(n *yamlfile.Node) { m.Timeout = r.Duration(n, maxTimeout) },
		})
		r.mirror(item, m)
		all = append(all, m)
	}
	if len(all) > 10 {
		r.Fail(n, "more than 10 mirrors", "use fewer: each run waits for all")
		return
	}
	r.c.Audit.Mirrors = all
}

// mirror holds a mirror to its kind.
func (r *reader) mirror(n *yamlfile.Node, m Mirror) {
	given := map[string]bool{"folder": m.Folder != "", "socket": m.Socket != "", "command": len(m.Command) > 0, "timeout": m.Timeout != 0}
	allowed := map[string][]string{"folder": {"folder"}, "syslog": {"socket"}, "command": {"command", "timeout"}}[m.Kind]
	if m.Kind == "" {
		r.Fail(n, "a mirror needs a kind", "write kind: folder, syslog or command")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] && !slices.Contains(allowed, name) {
			r.Fail(n, fmt.Sprintf("%s means nothing to a mirror of kind %s", name, m.Kind), "remove it")
		}
	}
	switch {
	case m.Kind == "folder" && m.Folder == "":
		r.Fail(n, "a mirror of kind folder needs a folder", "write folder: /path")
	case m.Kind == "command" && (len(m.Command) == 0 || !filepath.IsAbs(m.Command[0])):
		r.Fail(n, "a mirror of kind command needs the absolute path of a program", "write command: [/path/to/program]")
	}
}
