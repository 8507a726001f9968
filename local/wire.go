package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"palisade"
	"palisade/internal/analysis/foreign"
	"palisade/internal/approval"
	"palisade/internal/audit"
	"palisade/internal/audit/mirror"
	"palisade/internal/config"
	"palisade/internal/egress"
	"palisade/internal/feedback"
	"palisade/internal/incident"
	"palisade/internal/lang"
	"palisade/internal/policy"
	"palisade/internal/python"
	"palisade/internal/redact"
	"palisade/internal/rootfs"
	"palisade/internal/rules"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/gvisor"
	"palisade/internal/sandbox/native"
	"palisade/internal/semgrep"
)

// Hook must be the first call of main. Where the process is a part of a sandbox,
// or a reader, it does that part's work and exits; else it returns at once.
func Hook() {
	hooked.Store(true)
	if foreign.Reexec() || egress.Reexec() || native.Reexec() || gvisor.Reexec() {
		os.Exit(0) //nolint:forbidigo // this process is not the program that the user started
	}
}

// hooked tells that Hook was called: without it a sandbox would start this
// program again, from its beginning.
var hooked atomic.Bool

// Gate is a gate with its real parts. It is safe for concurrent use.
type Gate struct {
	gate    *palisade.Gate
	config  Config
	log     *audit.Log
	sandbox *sandbox.Router
	python  rootfs.Python // of the back-end that the default profile uses
	named   []string      // back-ends that profiles name
	queue   *approval.Queue
	readers *foreign.Pool
	egress  *egress.Proxy
	folder  *incident.Folder
	brake   *incident.Brake
	told    *approval.Notifier // nil: no webhook is told of questions

	patterns patterns
}

// Open wires a gate. Nothing is optional: a log that cannot be written, a policy
// that does not read, a sandbox that cannot start is an error.
func Open(ctx context.Context, c Config) (*Gate, error) {
	if !hooked.Load() {
		return nil, errors.New("call local.Hook() first in main: sandboxes are made by re-executing this program")
	}
	if len(c.Rules) > 0 {
		return nil, errors.New("a gate's pattern rules are those that policy names, under rule_files")
	}
	cfg, err := Settings(c)
	if err != nil {
		return nil, err
	}
	g := &Gate{config: c, readers: foreign.NewPool(foreign.Config{}), egress: newProxy(c, cfg)}
	g.sandbox = newRouter(c, cfg, exits{g})
	go func() { _, _ = semgrep.Default() }() // its error is met where the rules are used
	var set *policy.Set
	started := make(chan error, 1)
	go func() { // mostly waits for the kernel: the log is read meanwhile
		var err error
		if set, g.patterns, err = loadPolicy(c, cfg, nil); err == nil {
			g.python, err = openFirst(ctx, g.sandbox, set)
		}
		started <- err
	}()
	g.log, err = openLog(ctx, c, cfg)
	if err == nil && len(cfg.Audit.Mirrors) > 0 {
		err = g.log.MirrorHeads(ctx) // a place that does not take heads is found before a program runs
	}
	if err := errors.Join(err, <-started); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	if err := knownSecrets(set, cfg); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	set.Install(g.python.Modules)
	g.named = backendsOf(set)
	if g.folder, err = openFolder(cfg, func() (incident.State, error) { return lastSwitched(ctx, g.log) }); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	g.brake = incident.New(g.folder, g.cut)
	if g.queue, err = newQueue(cfg, g.log, set.Approvers); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	if g.told, err = notify(cfg, g.queue); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	if g.gate, err = g.wire(cfg, set); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// wire puts the parts together.
func (g *Gate) wire(cfg *config.Config, set *policy.Set) (*palisade.Gate, error) {
	interpreter := g.python
	version := python.Version{Major: interpreter.Version[0], Minor: interpreter.Version[1]}
	sanitizer, err := feedback.New(feedback.Options{
		Redactor: redact.New(hostNames(cfg, slices.Concat(interpreter.Library, interpreter.Packages))),
		Nonce:    func() string { return token(20) },
		Text:     lang.TextPath,
	})
	if err != nil {
		return nil, err
	}
	return palisade.NewGate(palisade.Parts{
		Preparer:  preparer{lang.Preparer{Python: version, Reserved: interpreter.Modules}, set.Names()},
		Inspector: rules.Inspector{Version: version, Reader: g.readers, Patterns: g.patterns},
		Policy:    set,
		Approvals: g.queue,
		Sandbox:   g.brake.Sandbox(g.sandbox),
		Sanitizer: sanitizer,
		Recorder:  observed{g.brake.Recorder(g.log), g.config.Observe},
		Now:       time.Now,
		NewID:     newRunID,
	})
}

// Run takes one submission from the door to the answer; see [palisade.Gate.Run].
// The door is the gate's own, whatever the submission says.
func (g *Gate) Run(ctx context.Context, s palisade.Submission) (palisade.Outcome, error) {
	s.Door = g.config.door()
	if s.Submitter == "" {
		s.Submitter = g.config.submitter()
	}
	return g.gate.Run(ctx, s)
}

// Close ends every box of the gate and makes the record durable.
func (g *Gate) Close() error {
	var errs []error
	errs = append(errs, g.readers.Close())
	errs = append(errs, g.sandbox.Close(), g.egress.Close())
	if g.told != nil {
		errs = append(errs, g.told.Close())
	}
	if g.log != nil {
		errs = append(errs, g.log.Close())
	}
	if g.folder != nil {
		errs = append(errs, g.folder.Close())
	}
	return errors.Join(errs...)
}

// preparer also holds a submission to the profiles that there are: one that does
// not exist is the submitter's mistake, not a denial.
type preparer struct {
	lang.Preparer
	profiles []string
}

// Prepare implements [palisade.Preparer].
func (p preparer) Prepare(ctx context.Context, s palisade.Submission) (palisade.Submission, error) {
	if err := p.known(s.Profile); err != nil {
		return s, err
	}
	return p.Preparer.Prepare(ctx, s)
}

func (p preparer) known(profile string) error {
	if profile == "" || slices.Contains(p.profiles, profile) {
		return nil
	}
	return &palisade.InputError{Reason: fmt.Sprintf("no profile %q: there are %s", profile, strings.Join(p.profiles, ", "))}
}

// loadPolicy reads the policy and the pattern rules that run under it. installed
// are the interpreter's top-level modules, nil where they are not known.
func loadPolicy(c Config, cfg *config.Config, installed []string) (*policy.Set, patterns, error) {
	var found patterns
	set, err := policy.Load(policy.Config{
		Files:     cfg.Policy,
		Default:   cfg.DefaultProfile,
		Origin:    cfg.Origin,
		Installed: installed,
		Callers:   policy.Callers{Owner: c.submitter(), Doors: doors(cfg), Submitters: cfg.Callers.Submitters},
		Rules: func(named []policy.RuleFile) ([]policy.Rule, error) {
			var err error
			if found, err = loadPatterns(named, c.Rules); err != nil {
				return nil, err
			}
			return found.rules(), nil
		},
	})
	return set, found, err
}

func openLog(ctx context.Context, c Config, cfg *config.Config) (*audit.Log, error) {
	for _, dir := range []string{cfg.State, filepath.Dir(cfg.Audit.Key)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("state folder: %w", err)
		}
	}
	var mirrors []audit.Mirror
	for _, m := range cfg.Audit.Mirrors {
		switch m.Kind {
		case "folder":
			mirrors = append(mirrors, mirror.Folder{Dir: m.Folder, Now: time.Now})
		case "syslog":
			mirrors = append(mirrors, mirror.Syslog{Socket: m.Socket, Now: time.Now})
		case "command":
			mirrors = append(mirrors, mirror.Command{Argv: m.Command, Timeout: m.Timeout, Now: time.Now})
		default:
			return nil, fmt.Errorf("audit mirror of unknown kind %q", m.Kind)
		}
	}
	return audit.Open(ctx, audit.Config{
		Dir: cfg.Audit.Folder, KeyFile: cfg.Audit.Key, PublicKeyFile: cfg.Audit.PublicKey, Name: cfg.Audit.Name,
		Mirrors: mirrors, Now: time.Now, Logger: c.logger(),
	})
}

// pool bounds the warm boxes of a gate that wants them.
func pool(c Config, p config.Pool) *sandbox.PoolLimits {
	if !c.Warm || p.Off {
		return nil
	}
	limits := &sandbox.PoolLimits{
		Size: p.Size, Making: p.Making, Memory: p.Memory, Uses: p.Uses, Age: p.Age,
		Queue: p.Queue,
	}
	if c.AtOnce > 0 {
		limits.Queue, limits.Patience, limits.After = c.AtOnce, time.Hour, 1
	}
	return limits
}

func newQueue(cfg *config.Config, log *audit.Log, need func(palisade.Verdict) int) (*approval.Queue, error) {
	return approval.New(approval.Config{
		Store: questions{log}, Now: time.Now, NewTicket: func() string { return token(10) }, Escape: redact.EscapeLine,
		Expiry: cfg.Approvals.Expiry, Self: cfg.Approvals.Self, Approvers: cfg.Approvals.Approvers, Need: need,
	})
}

// hostNames are what an answer must not tell of this host. What lies in the
// interpreter's library is called by its place there.
func hostNames(cfg *config.Config, library []string) redact.Config {
	names := redact.Config{Paths: []redact.Path{{Prefix: cfg.State}, {Prefix: cfg.Audit.Folder}, {Prefix: cfg.Sandbox.Images}}}
	for _, dir := range library {
		names.Paths = append(names.Paths, redact.Path{Prefix: dir, As: "<python>"})
	}
	if cfg.Sandbox.State != "" {
		names.Paths = append(names.Paths, redact.Path{Prefix: cfg.Sandbox.State})
	}
	if host, err := os.Hostname(); err == nil {
		names.Hosts = append(names.Hosts, host)
	}
	if u, err := user.Current(); err == nil {
		names.Users = append(names.Users, u.Username)
		if u.HomeDir != "" && u.HomeDir != "/" {
			names.Paths = append(names.Paths, redact.Path{Prefix: u.HomeDir})
		}
	}
	return names
}
