package main

import (
	"context"
	"io"
	"os"
)

// await runs f, which may wait without end: for the writer of a pipe, for what is
// typed at a terminal. When ctx ends it no longer does.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, exit(130, "interrupted")
	}
}

// readOptional reads the file unless path is empty.
func readOptional(ctx context.Context, path string, most int64) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	return readFile(ctx, path, most)
}

// readFile reads a file, or a pipe such as a shell's <(…), of at most so many bytes.
func readFile(ctx context.Context, path string, most int64) ([]byte, error) {
	return await(ctx, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, usage("%w", err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, usage("%s is a folder", path)
		}
		return bounded(f, path, most)
	})
}

// readAll reads a stream of at most so many bytes.
func readAll(ctx context.Context, r io.Reader, name string, most int64) ([]byte, error) {
	return await(ctx, func() ([]byte, error) { return bounded(r, name, most) })
}

func bounded(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, usage("read %s: %w", name, err)
	}
	if int64(len(data)) > most {
		return nil, usage("%s is larger than %d MiB", name, most>>20)
	}
	return data, nil
}
