package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/config"
	"palisade/internal/httpapi"
	"palisade/local"
)

func newServeCmd(e *env) *cobra.Command {
	flags := map[string]string{} // keys of the configuration by flag
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the gate over HTTP",
		Long: `Serve opens the gate and answers over HTTP: programs to run, runs, approvals, the
record, keys and the brake, below /v1. The contract is at /openapi.json, a page that
shows it at /docs. Callers come with keys: palisade keys. The first start makes one
for the operator, who may do everything but submit for other tenants; its token is
printed once, on standard output.

It listens on this machine alone unless --listen says otherwise, and then wants TLS.
Flags go before PALISADE_SERVE_* and those before the configuration's serve section:
docs/guide/serve.md.

Stopped by a signal, it takes nothing new, waits for what runs as long as --drain
says, ends the rest, and leaves everything on the record. A second signal ends it at
once, and what ran with it; the next start records that as interrupted.

Exit codes: 0 ended by a signal (by a second one: that signal's), 1 the gate failed, or another one has the state
folder, 2 usage.`,
		Example: `  palisade serve
  palisade serve --listen :8443 --tls-cert cert.pem --tls-key key.pem
  curl -s localhost:8080/v1/executions -H "Authorization: Bearer $KEY" --json '{"code": "print(6 * 7)"}'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := e.settings()
			if err != nil {
				return err
			}
			for flag, key := range flags {
				if f := cmd.Flags().Lookup(flag); f.Changed {
					if err := cfg.Set(key, f.Value.String(), "--"+flag); err != nil {
						return usage("%w", err)
					}
				}
			}
			return e.serve(cmd.Context(), cfg)
		},
	}
	add := func(flag, key, text string) {
		flags[flag] = key
		cmd.Flags().String(flag, "", text)
	}
	add("listen", "serve.listen", "`address` to listen on (default 127.0.0.1:8080)")
	add("tls-cert", "serve.certificate", "PEM `file` with the certificate: TLS")
	add("tls-key", "serve.key", "PEM `file` with its key")
	add("e2b", "serve.e2b", "speak the E2B code interpreter's protocol on this `address` too")
	add("drain", "serve.drain", "`time` that running programs have when the server stops (default 30s)")
	flags["plain"] = "serve.plain"
	cmd.Flags().Bool("plain", false, "listen for other machines without TLS: something before it does TLS")
	return cmd
}

// serve runs the server until ctx ends.
func (e *env) serve(ctx context.Context, cfg *config.Config) error {
	free := make(places, cfg.Serve.Connections)
	listener, err := listen(ctx, cfg, "serve.listen", cfg.Serve.Listen, free)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // closed by the server before, if it began
	var e2b net.Listener
	if cfg.Serve.E2B != "" {
		if e2b, err = listen(ctx, cfg, "serve.e2b", cfg.Serve.E2B, free); err != nil {
			return err
		}
		defer func() { _ = e2b.Close() }()
	}
	lock, err := local.Hold(cfg)
	if err != nil {
		return exit(1, "%w", err)
	}
	defer lock.Close()
	h, err := e.openHouse(ctx, cfg)
	if err != nil {
		return err
	}
	if e2b != nil {
		fmt.Fprintf(e.stderr, "palisade: E2B's protocol on %s://%s\n", scheme(cfg.Serve), e2b.Addr())
	}
	fmt.Fprintf(e.stderr, "palisade: serving on %s://%s\n", scheme(cfg.Serve), listener.Addr())
	return errors.Join(h.serve(ctx, listener, e2b), h.close())
}

// house is an open gate with what serves it.
type house struct {
	cfg     *config.Config
	stderr  io.Writer // what the operator is told
	logger  *slog.Logger
	gate    *local.Gate
	index   *local.Index
	reader  *local.Reader
	files   *httpapi.Artifacts
	server  *httpapi.Server
	told    atomic.Pointer[httpapi.Server] // server, for a gate that was there before it
	stopped context.CancelFunc             // of what goes on in the background
}

// openHouse opens everything that a server needs; what was left unfinished by one
// before it gets its end on the record first.
func (e *env) openHouse(ctx context.Context, cfg *config.Config) (*house, error) {
	ctx = context.WithoutCancel(ctx) // a signal ends the server, which ends the rest in its order
	h := &house{cfg: cfg, stderr: e.stderr, logger: e.logger(cfg)}
	slog.SetDefault(h.logger)
	c := e.local()
	c.Door, c.Warm, c.Logger = local.DoorAPI, true, h.logger
	c.Observe = func(e palisade.Event) {
		if s := h.told.Load(); s != nil {
			s.Observe(e)
		}
	}
	var err error
	if h.gate, err = e.openWith(ctx, c); err != nil {
		return nil, err
	}
	if err := h.open(ctx, e); err != nil {
		return nil, exit(1, "%w", errors.Join(err, h.close()))
	}
	return h, nil
}

// open opens what stands on the gate.
func (h *house) open(ctx context.Context, e *env) (err error) {
	if h.index, err = h.gate.Index(ctx); err != nil {
		return err
	}
	left, err := h.index.Recover(ctx, local.DoorAPI)
	if err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(e.stderr, "palisade: %s of a server that stopped had no end: recorded as interrupted\n", count(left, "run"))
	}
	kept := h.cfg.Serve.Artifacts
	if h.files, err = httpapi.OpenArtifacts(filepath.Join(h.cfg.State, "artifacts"), kept.Age, kept.Size, time.Now); err != nil {
		return err
	}
	policies, err := newHTTPPolicies(h.cfg)
	if err != nil {
		return err
	}
	c := e.local()
	c.Door = local.DoorAPI
	if h.reader, err = local.NewReader(c); err != nil {
		return err
	}
	s := h.cfg.Serve
	h.server, err = httpapi.New(httpapi.Config{
		Gate: h.gate, Door: h.index.Door, Index: h.index.Store, Record: h.index, Artifacts: h.files, Questions: h.gate.Questions(),
		Audit: httpAudit{h.index, e}, Keys: h.index.Keys, Brake: httpBrake{h.gate.Incident()}, Policies: policies, Reader: h.reader,
		Limits: httpapi.Limits{
			Body: s.Body, Running: s.Running, TenantRunning: s.Tenant.Running, TenantQueue: s.Tenant.Queue,
			Streams: s.Streams, TenantStreams: s.Tenant.Streams, Rate: s.Tenant.Rate,
		},
		Now: time.Now, NewID: local.NewRunID,
	})
	if err != nil {
		return err
	}
	h.told.Store(h.server)
	token, made, err := h.index.Keys.Bootstrap(ctx, submitter())
	if err != nil {
		return err
	}
	if made {
		fmt.Fprintln(e.stderr, "palisade: the first key, the operator's; this is the only time that its token is told:")
		return e.print(token + "\n")
	}
	return nil
}

// serve answers until ctx ends, and then ends what it does. e2b is nil where that
// protocol is not spoken.
func (h *house) serve(ctx context.Context, api, e2b net.Listener) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stopped = stop
	go h.tend(background)
	servers := []*http.Server{h.answering(h.handler())}
	failed := make(chan error, 2)
	go func() { failed <- servers[0].Serve(api) }()
	if e2b != nil {
		servers = append(servers, h.answering(h.server.E2B()))
		go func() { failed <- servers[1].Serve(e2b) }()
	}
	var err error
	select {
	case err = <-failed:
		err = exit(1, "%w", err)
	case <-ctx.Done():
		// From here on these end the process, as they do where nobody handles them:
		// boxes die with it, and the next start records their end. A hangup does not,
		// which some supervisors send right behind the first signal.
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		fmt.Fprintf(h.stderr, "palisade: stopping: nothing new is taken, and what runs has %s to end; a second signal ends everything at once\n", h.cfg.Serve.Drain)
	}
	h.drain()
	// Everything has its end by now: what is left are answers on their way.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for _, s := range servers {
		if s.Shutdown(last) != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}

// answering is a server that no connection can hold up.
func (h *house) answering(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(h.logger.Handler(), slog.LevelDebug),
	}
}

// drain ends what runs.
func (h *house) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), h.cfg.Serve.Drain)
	defer cancel()
	h.server.Drain(ctx)
}

// tend keeps the index up to date, and sweeps.
func (h *house) tend(ctx context.Context) {
	go h.index.Watch(ctx, nil, time.Second)
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := h.files.Sweep(); err != nil {
				h.logger.Error("artifacts", slog.Any("error", err))
			}
		}
	}
}

// close closes what is open, in the order in which it stands on each other.
func (h *house) close() error {
	var errs []error
	if h.stopped != nil {
		h.stopped()
	}
	if h.reader != nil {
		errs = append(errs, h.reader.Close())
	}
	if h.files != nil {
		errs = append(errs, h.files.Close())
	}
	if h.index != nil {
		errs = append(errs, h.index.Close())
	}
	return errors.Join(append(errs, h.gate.Close())...)
}

// handler is the API, with the login of people where there is one.
func (h *house) handler() http.Handler {
	if h.index.OIDC == nil {
		return h.server
	}
	mux := http.NewServeMux()
	mux.Handle("/auth/", h.index.OIDC.Handler())
	mux.Handle("/", h.server)
	return mux
}

// logger is for operators, as the configuration wants it.
func (e *env) logger(cfg *config.Config) *slog.Logger {
	level := slog.LevelWarn
	_ = level.UnmarshalText([]byte(cfg.Log.Level)) // one of four, as the configuration made sure
	options := &slog.HandlerOptions{Level: level}
	if cfg.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(e.stderr, options))
	}
	return slog.New(slog.NewTextHandler(e.stderr, options))
}
