// Command palisade stands between a language model and a kernel: it reads a
// program, judges it by policy, runs it in a fresh sandbox and answers, with
// every step on a tamper-evident record.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"palisade/local"
)

// version is set when the binary is built.
var version = "dev"

func main() {
	local.Hook() // must come first: sandboxes are made by re-executing this binary
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// Not to be ended by whoever stops reading: the run must have its end on the
	// record. The write fails instead; see execute.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	e := &env{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, version: version}
	code := e.execute(ctx, os.Args[1:])
	stop()
	os.Exit(code) //nolint:forbidigo // main is where a command exits
}
