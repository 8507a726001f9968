package sandbox

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Import has the harness of a template import modules, and returns those that it
// could not.
func Import(ctx context.Context, p Pipes, modules []string) (failed []string, err error) {
	answer, err := p.ask(ctx, frameTemplate, joinFields(modules...))
	if err != nil {
		return nil, fmt.Errorf("import modules: %w", err)
	}
	fields, err := splitFields(answer)
	for _, f := range fields {
		failed = append(failed, string(f))
	}
	return failed, err
}

// Warm has the harness of a box run a program of ours.
func Warm(ctx context.Context, p Pipes, program string) error {
	answer, err := p.ask(ctx, frameWarm, []byte(program))
	if err == nil && len(answer) > 0 {
		err = fmt.Errorf("the harness says: %.500s", answer)
	}
	if err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	return nil
}

// ask sends one frame to a harness that has no job yet, and returns its answer.
func (p Pipes) ask(ctx context.Context, kind byte, payload []byte) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { p.Drain(time.Now()) })
	defer stop()
	if err := writeFrame(p.In, kind, payload); err != nil {
		return nil, err
	}
	got, answer, err := readFrameOf(p.Out, maxWarmPayload)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case got != kind:
		return nil, fmt.Errorf("the harness answers %q with %q", kind, got)
	}
	return slices.Clone(answer), nil
}
