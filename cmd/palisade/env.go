package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"palisade/internal/config"
	"palisade/internal/redact"
	"palisade/local"
)

// env is what a command knows of its surroundings.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	version        string

	home       string // --home
	configFile string // --config
}

// exitError is an error with the exit code that stands for it.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}
func (e *exitError) Unwrap() error { return e.err }
func (e *exitError) ExitCode() int { return e.code }

// exit ends a command with a code and, where msg is not empty, an error.
func exit(code int, format string, args ...any) error {
	if format == "" {
		return &exitError{code: code}
	}
	return &exitError{code, fmt.Errorf(format, args...)}
}

// usage is an error of the caller's: exit code 2.
func usage(format string, args ...any) error { return exit(2, format, args...) }

// execute runs one command line and returns its exit code.
func (e *env) execute(ctx context.Context, args []string) int {
	root := newRootCmd(e)
	root.SetArgs(args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, syscall.EPIPE) {
		return 128 + int(syscall.SIGPIPE) // whoever read our output has what they wanted
	}
	if msg := err.Error(); msg != "" {
		fmt.Fprintf(e.stderr, "palisade: %s\n", redact.Escape(msg))
	}
	if coded, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return coded.ExitCode()
	}
	fmt.Fprintln(e.stderr, "palisade: add --help to the command to see how it is used")
	return 2 // cobra's own errors are about flags and arguments
}

// settings loads the configuration that the flags name.
func (e *env) settings() (*config.Config, error) {
	cfg, err := local.Settings(e.local())
	if err != nil {
		return nil, usage("%w", err)
	}
	return cfg, nil
}

// stateless loads it for what needs no state folder.
func (e *env) stateless() (*config.Config, error) {
	cfg, err := local.Stateless(e.local())
	if err != nil {
		return nil, usage("%w", err)
	}
	return cfg, nil
}

// local says where the gate's state is, and that the command line asks.
func (e *env) local() local.Config {
	return local.Config{Home: e.home, ConfigFile: e.configFile, Door: "cli", Submitter: submitter()}
}

// submitter is the identity that the operating system vouches for.
func submitter() string { return local.Caller() }

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func newRootCmd(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "palisade",
		Short: "A gate between a language model and a kernel",
		Long: `Palisade takes a program that a model wrote, reads it, judges it by policy, runs
it in a sandbox that nobody used before and nobody uses after, and answers with
what it printed and returned. Every step is on a record that cannot be changed
unseen.`,
		Example: `  palisade run program.py
  palisade run --profile pal --entry solution -c 'def solution(): return 6 * 7'
  palisade scan --profile data ./generated
  palisade audit verify`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       e.version,
	}
	root.PersistentFlags().StringVar(&e.home, "home", "", "state folder (default $PALISADE_HOME, /var/lib/palisade for root, else under XDG_STATE_HOME)")
	root.PersistentFlags().StringVar(&e.configFile, "config", "", "configuration file (default config.yaml in the state folder)")
	root.AddCommand(
		newRunCmd(e), newBatchCmd(e), newScanCmd(e), newParseCmd(e),
		newPolicyCmd(e), newRulesCmd(e), newApprovalsCmd(e), newAuditCmd(e),
		newKeysCmd(e), newIndexCmd(e), newLockdownCmd(e), newKillCmd(e), newEgressCmd(e), newInvestigateCmd(e),
		newBenchCmd(e), newServeCmd(e), newResidentCmd(e), newRuntimeCmd(e), newDoctorCmd(e), newConfigCmd(e), newVersionCmd(e), newManCmd(e),
	)
	root.InitDefaultCompletionCmd()
	e.completeFlags(root)
	for _, c := range root.Commands() {
		// A group shows its help, and refuses a word that is none of its commands: cobra
		// shows it for any word, as if nothing were wrong.
		if c.HasSubCommands() && !c.Runnable() {
			c.Args, c.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// completeFlags has a shell complete the names of profiles, of a command and of
// those below it: without it, a shell offers files.
func (e *env) completeFlags(cmd *cobra.Command) {
	if cmd.Flags().Lookup("profile") != nil {
		_ = cmd.RegisterFlagCompletionFunc("profile", e.completeProfiles) // fails only where there is no such flag, or twice
	}
	for _, c := range cmd.Commands() {
		e.completeFlags(c)
	}
}
