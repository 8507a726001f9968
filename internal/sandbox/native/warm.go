package native

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/roots"
)

// kind is what makes the zygotes of two jobs differ: what is loaded, and for whom.
// All else comes with the job.
type kind struct {
	language palisade.Language
	runtime  string
	set      string // of modules
	tenant   string
}

// kindOf returns the kind of a job's box; false: its box is forked by a zygote of
// its own.
func (s *Sandbox) kindOf(r roots.Root, job palisade.Job) (kind, bool) {
	if s.pool == nil {
		return kind{}, false
	}
	k := kind{language: job.Program.Language, runtime: s.runtime(r), tenant: job.Tenant}
	if k.language == palisade.Python {
		k.set = lang.ModulesFor(job.Program, r.Image.Python.Modules).Name
	}
	return k, true
}

// openZygote makes the zygote of a kind.
func (s *Sandbox) openZygote(ctx context.Context, k kind) (sandbox.Template[*box], error) {
	r, err := s.roots.Open(ctx, k.language)
	if err != nil {
		return nil, err
	}
	set, ok := lang.ModuleSetNamed(k.set)
	if k.runtime != s.runtime(r) || !ok && k.set != "" {
		return nil, fmt.Errorf("no zygote for modules %q on %s", k.set, k.runtime)
	}
	z, err := s.newZygote(ctx, r, set)
	if err != nil {
		return nil, err
	}
	z.warm = true
	return z, nil
}

// boxFor returns a parked box for a job: a warm one, or one that a zygote was
// started for.
func (s *Sandbox) boxFor(ctx context.Context, r roots.Root, job palisade.Job) (*box, error) {
	if b, err := s.takeWarm(ctx, r, job); b != nil || err != nil {
		return b, err
	}
	z, err := s.newZygote(ctx, r, lang.ModuleSet{})
	if err != nil {
		return nil, err
	}
	b, err := z.Box(ctx)
	return b, errors.Join(err, z.Close()) // it ends with the box
}

// takeWarm returns a warm box; nil: there is none, and an ordinary one will do.
func (s *Sandbox) takeWarm(ctx context.Context, r roots.Root, job palisade.Job) (*box, error) {
	k, ok := s.kindOf(r, job)
	if !ok {
		return nil, nil
	}
	b, ok, err := s.pool.TakeFor(ctx, k, func(b *box) error {
		if !b.alive() {
			return fmt.Errorf("box %s: its first process is gone", b.id)
		}
		return nil
	})
	if !ok {
		return nil, err
	}
	return b, nil
}

// forget frees what a box held whose result was handed out.
func (b *box) forget() {
	if err := b.Close(); err != nil {
		b.log.Error("a box could not be destroyed", slog.String("box", b.id), slog.Any("error", err))
	}
}

// parkedSize is what a parked box holds of the host's memory beside what it
// shares with its zygote, in bytes, as measured.
const parkedSize = 6 << 20

// Memory implements [sandbox.Template].
func (z *zygote) Memory() int64 { return parkedSize }
