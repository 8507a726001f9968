package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/resident"
	"palisade/local"
)

func newResidentCmd(e *env) *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:   "resident",
		Short: "Keep a gate running, with sandboxes ready, for palisade run --warm",
		Long: `Resident opens the gate and keeps it open until it is interrupted. Programs come
over a Unix socket from "palisade run --warm", of the same user alone: the socket
has mode 0600, and the kernel says who is at its other end. What comes is judged,
run and recorded as by "palisade run", and so is who it came from; sandboxes are
restored before they are asked for, serve one run each, and never leave this
process.

How many sandboxes are kept is configuration: sandbox.pool, see
docs/guide/configuration.md.

Exit codes: 0 ended by a signal, 1 the gate failed, or another one listens there.`,
		Example: `  palisade resident &
  palisade run --warm --profile pal -c 'print(6 * 7)'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.resident(cmd.Context(), socket) },
	}
	cmd.Flags().StringVar(&socket, "socket", "", "listen on this `path` (default resident.sock in the state folder)")
	return cmd
}

// residentSocket is where a resident gate listens.
func (e *env) residentSocket() (string, error) {
	cfg, err := e.settings()
	if err != nil {
		return "", err
	}
	return filepath.Join(cfg.State, "resident.sock"), nil
}

func (e *env) resident(ctx context.Context, socket string) error {
	if socket == "" {
		var err error
		if socket, err = e.residentSocket(); err != nil {
			return err
		}
	}
	c := e.local()
	c.Warm = true
	c.Logger = slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	gate, err := e.openWith(ctx, c)
	if err != nil {
		return err
	}
	s := &resident.Server{Logger: c.Logger, Run: func(ctx context.Context, p resident.Peer, r resident.Request, notice func(string)) (palisade.Outcome, error) {
		r.Submission.Submitter = local.Peer(p.UID, p.PID, r.Submission.Submitter)
		return submit(ctx, gate, r.Submission, r.Wait, notice)
	}}
	if err := s.Listen(socket); err != nil {
		return exit(1, "%w", errors.Join(err, gate.Close()))
	}
	fmt.Fprintf(e.stderr, "palisade: resident gate listens on %s\n", socket)
	if err := errors.Join(s.Serve(ctx), gate.Close()); err != nil {
		return exit(1, "%w", err)
	}
	return nil
}

// askResident hands a submission to the resident gate.
func (e *env) askResident(ctx context.Context, s palisade.Submission, wait time.Duration, notice func(string)) (palisade.Outcome, error) {
	socket, err := e.residentSocket()
	if err != nil {
		return palisade.Outcome{}, err
	}
	out, err := resident.Client{Socket: socket, Notice: notice}.Run(ctx, s, wait)
	if invalid, ok := errors.AsType[*palisade.InputError](err); ok {
		return out, usage("%w", invalid)
	} else if errors.Is(err, resident.ErrNone) {
		return out, exit(1, "%w: start one with `palisade resident`, or leave --warm out", err)
	} else if err != nil {
		return out, exit(1, "%w", err)
	}
	return out, nil
}
