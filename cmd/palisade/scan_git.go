package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// git runs Git on the work tree around the working directory, which may be
// hostile: nothing that the repository's own settings name is run. What the
// user's and the system's settings name is theirs.
type git struct{ environment []string }

// maxGit bounds what one call of Git says: a text of maxCode, each line changed.
const maxGit = 64 << 20

// newGit learns which programs the repository's settings would have run over
// files, and takes them away.
func newGit(ctx context.Context) (git, error) {
	g := git{append(os.Environ(),
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", // nothing is fetched that a partial clone lacks
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
	)}
	list, err := g.run(ctx, "config", "--list", "--show-scope", "--name-only", "-z")
	if err != nil {
		return git{}, err
	}
	count := 0
	set := func(key, value string) {
		g.environment = append(g.environment, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count, value))
		count++
	}
	words := strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		scope, key := words[i], words[i+1]
		dot := strings.LastIndexByte(key, '.')
		if scope == "system" || scope == "global" || !strings.HasPrefix(key, "filter.") || dot <= len("filter.") {
			continue
		}
		switch driver := key[:dot]; key[dot+1:] {
		case "clean", "smudge", "process": // Git takes an empty one for none
			set(key, "")
			set(driver+".required", "false")
		}
	}
	g.environment = append(g.environment, fmt.Sprintf("GIT_CONFIG_COUNT=%d", count))
	return g, nil
}

var errTooMuch = errors.New("it says more than is read")

// capped keeps what is written to it, up to a bound.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if c.Len()+len(p) > maxGit {
		return 0, errTooMuch
	}
	return c.Buffer.Write(p)
}

// run calls Git and returns what it says.
func (g git) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat", "-c", "core.alternateRefsCommand=",
	}, args...)...)
	cmd.Env = g.environment
	var out, errs capped
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(errs.String()); said != "" {
			return "", usage("git %s: %s", args[0], said)
		}
		return "", usage("git %s: %w", args[0], err)
	}
	return out.String(), nil
}
