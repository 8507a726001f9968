package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newManCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page, as roff",
		Example: `  palisade man | man -l -`,
		Hidden:  true,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var page strings.Builder
			writeManual(&page, cmd.Root())
			_, err := io.WriteString(e.stdout, page.String())
			return err
		},
	}
}

// writeManual writes palisade(1) from the commands themselves.
func writeManual(page *strings.Builder, root *cobra.Command) {
	fmt.Fprintf(page, ".TH PALISADE 1 \"\" \"palisade %s\" \"User Commands\"\n", roff(root.Version))
	fmt.Fprintf(page, ".SH NAME\npalisade \\- %s\n", roff(strings.ToLower(root.Short)))
	page.WriteString(".SH SYNOPSIS\n.B palisade\n.I command\n[flags]\n")
	fmt.Fprintf(page, ".SH DESCRIPTION\n%s\n", roff(root.Long))
	page.WriteString(".SH OPTIONS OF ALL COMMANDS\n")
	writeFlags(page, root.PersistentFlags())
	page.WriteString(".SH COMMANDS\n")
	writeCommands(page, root.Commands())
	fmt.Fprintf(page, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(root.Example))
	page.WriteString(".SH EXIT STATUS\nof run: 0 ran and succeeded, 1 the gate or the sandbox failed, 2 usage or invalid input (never ran), " +
		"3 denied or aborted by policy, 4 waits for a human, 5 the program failed, 124 time limit, 130 interrupted, 137 killed or memory limit.\n" +
		".br\nof scan: 0 clean, 1 something not allowed, 2 usage or unreadable input.\n")
	page.WriteString(".SH ENVIRONMENT\n.TP\n.B PALISADE_HOME\nState folder. Other PALISADE_* variables set the configuration's fields.\n")
}

func writeCommands(page *strings.Builder, commands []*cobra.Command) {
	for _, cmd := range commands {
		if cmd.Hidden || cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		if cmd.HasAvailableSubCommands() {
			writeCommands(page, cmd.Commands())
			continue
		}
		fmt.Fprintf(page, ".SS %s\n%s\n", roff(cmd.UseLine()), roff(text(cmd)))
		writeFlags(page, cmd.LocalFlags())
		if cmd.Example != "" {
			fmt.Fprintf(page, ".PP\n.nf\n%s\n.fi\n", roff(cmd.Example))
		}
	}
}

// text is what a command says of itself at most length.
func text(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

func writeFlags(page *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(page, ".TP\n.B \\-\\-%s", roff(f.Name))
		if name != "" {
			fmt.Fprintf(page, " \\fI%s\\fR", roff(name))
		}
		fmt.Fprintf(page, "\n%s\n", roff(usage))
	})
}

// roff escapes text for troff: backslashes, hyphens, and control characters at
// a line's start.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
