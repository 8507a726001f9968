package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"palisade/internal/approval"
	"palisade/local"
)

func newApprovalsCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Read and answer the questions that policy puts to humans",
		Long: `Where policy asks, a run ends with a ticket. A human other than whoever submitted the
program reads the question and answers it; the same submission, run again, uses the
answer, once.`,
		Example: `  palisade approvals ls
  palisade approvals show TICKET
  palisade approvals approve TICKET 3f9a0c11d2e4 --comment 'looked at the peers'
  palisade approvals deny TICKET 3f9a0c11d2e4`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newApprovalsLsCmd(e), newApprovalsShowCmd(e), newAnswerCmd(e, true), newAnswerCmd(e, false))
	return cmd
}

// questions opens the queue; the caller closes it.
func (e *env) questions(ctx context.Context) (*local.Approvals, error) {
	q, err := local.OpenApprovals(ctx, e.local())
	if err != nil {
		return nil, exit(1, "%w", err)
	}
	return q, nil
}

func newApprovalsLsCmd(e *env) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the questions that stand, the oldest first",
		Example: `  palisade approvals ls
  palisade approvals ls --all --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := e.questions(cmd.Context())
			if err != nil {
				return err
			}
			defer q.Close()
			items, err := q.List(cmd.Context(), all)
			if err != nil {
				return exit(1, "%w", err)
			}
			return e.listQuestions(items, asJSON)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that were used or have expired")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one question a line")
	return cmd
}

func (e *env) listQuestions(items []approval.Item, asJSON bool) error {
	rows := [][]string{{"TICKET", "DIGEST", "STATE", "SEVERITY", "SUBMITTER", "EXPIRES (UTC)", "TO"}}
	for _, item := range items {
		if asJSON {
			if err := writeJSON(e.stdout, item); err != nil {
				return err
			}
			continue
		}
		state := string(item.Standing)
		if item.Need > 1 && item.Standing == approval.Waiting {
			state += fmt.Sprintf(" %d/%d", item.Approved, item.Need)
		}
		rows = append(rows, []string{
			item.Ticket, item.Binding.String()[:12], state, item.Severity.String(), item.Submitter,
			item.Expires.UTC().Format(time.DateTime), item.Title,
		})
	}
	if asJSON {
		return nil
	}
	if len(items) == 0 {
		return e.print("no questions\n")
	}
	return e.table(rows)
}

func newApprovalsShowCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show TICKET",
		Short: "Show a question: program, findings, and what would become possible",
		Example: `  palisade approvals show TICKET
  palisade approvals show TICKET --json | jq -r .program.source | base64 -d`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := e.questions(cmd.Context())
			if err != nil {
				return err
			}
			defer q.Close()
			question, item, err := q.Show(cmd.Context(), args[0])
			if err != nil {
				return answerError(err)
			}
			if asJSON {
				return writeJSON(e.stdout, question)
			}
			return e.print(q.Text(question, item))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the question as JSON")
	return cmd
}

// showQuestion prints a question on standard error, for whoever just asked.
func (e *env) showQuestion(ticket string) error {
	q, err := e.questions(context.Background())
	if err != nil {
		return err
	}
	defer q.Close()
	question, item, err := q.Show(context.Background(), ticket)
	if err != nil {
		return answerError(err)
	}
	return printTo(e.stderr, q.Text(question, item))
}

func newAnswerCmd(e *env, approve bool) *cobra.Command {
	use, short, past := "deny", "Say no to a question", "denied"
	if approve {
		use, short, past = "approve", "Say yes to a question", "approved"
	}
	var comment string
	cmd := &cobra.Command{
		Use:   use + " TICKET DIGEST",
		Short: short,
		Long: short + `. DIGEST is the beginning of the question's digest, at least eight digits, as
approvals show prints it: it says which question was looked at. Whoever submitted the
program may not approve it, unless a configuration that only root can write says so.`,
		Example: "  palisade approvals " + use + " TICKET 3f9a0c11d2e4 --comment 'why'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("want TICKET and DIGEST, as palisade approvals ls prints them (palisade approvals %s --help)", use)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := e.questions(cmd.Context())
			if err != nil {
				return err
			}
			defer q.Close()
			who, also := local.Approver()
			a, err := q.Answer(cmd.Context(), approval.Decision{
				Ticket: args[0], Digest: args[1], Approver: who, Also: also, Approve: approve, Comment: comment,
			})
			if errors.Is(err, approval.ErrSelf) {
				// Their state folder is another one, so that the way to this one is told.
				if cfg, unread := e.settings(); unread == nil {
					err = fmt.Errorf("%w; another user does it with: palisade --home %s approvals approve %s %s", err, quoted(cfg.State), quoted(args[0]), quoted(args[1]))
				}
			}
			if err != nil {
				return answerError(err)
			}
			text := past + " " + a.Ticket + " as " + who
			if a.Self {
				text += ", who also asked"
			}
			if approve && !a.Granted {
				text += "; others must approve it too: palisade approvals show " + a.Ticket
			} else if approve {
				text += "; run the same submission again before " + a.Expires.UTC().Format(time.RFC3339)
			}
			return e.print(text + "\n")
		},
	}
	cmd.Flags().StringVar(&comment, "comment", "", "why; it is recorded, and required to approve what is of high severity")
	return cmd
}

// answerError gives an error its exit code: 2 for what the caller can mend, 3
// for who may not answer, 1 for the rest.
func answerError(err error) error {
	for _, mendable := range []error{approval.ErrUnknown, approval.ErrExpired, approval.ErrAnswered, approval.ErrDigest, approval.ErrComment, approval.ErrTwice} {
		if errors.Is(err, mendable) {
			return usage("%w", err)
		}
	}
	for _, who := range []error{approval.ErrSelf, approval.ErrNotApprover, approval.ErrUnvouched} {
		if errors.Is(err, who) {
			return exit(3, "%w", err)
		}
	}
	return exit(1, "%w", err)
}
