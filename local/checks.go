package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"palisade"
)

// Check is one thing that a gate needs, tried for real.
type Check struct {
	Name   string
	Detail string // what was found
	Err    error  // nil: it is there
	Fix    string // how to get it, if it is not
}

// Checks tries everything that a gate needs, in the order in which it needs it.
func Checks(ctx context.Context, c Config) []Check {
	cfg, err := Settings(c)
	checks := []Check{{Name: "configuration", Err: err, Fix: "mend the line that it names"}}
	if err != nil {
		return checks
	}
	checks[0].Detail = "state folder " + cfg.State
	if len(cfg.Files) > 0 {
		checks[0].Detail += ", read from " + strings.Join(cfg.Files, ", ")
	}
	set, err := loadPolicy(c, cfg, nil)
	policy := Check{Name: "policy", Err: err, Fix: "palisade policy check FILE says where it is wrong"}
	if err == nil {
		policy.Detail = "profiles " + strings.Join(set.Names(), ", ") + "; default " + set.Default()
	}
	checks = append(checks, policy)

	python := Check{Name: "python", Detail: cfg.Runtime.Python, Fix: "as root: apt-get install python3 (python3-numpy and python3-pandas for the profile data), or set runtime.python"}
	_, python.Err = os.Stat(cfg.Runtime.Python)
	checks = append(checks, python)

	log, err := openLog(ctx, c, cfg)
	record := Check{Name: "record", Detail: cfg.Audit.Folder, Err: err, Fix: "the error says what is wrong; nothing runs until the record and every mirror of its heads can be written"}
	if err == nil {
		if err := log.MirrorHeads(ctx); err != nil {
			record.Err = err
			record.Fix = fmt.Sprintf("each mirror under audit.mirrors must be there and take a copy from uid %d; nothing runs until all do", os.Geteuid())
		}
		record.Err = errors.Join(record.Err, log.Close())
		record.Detail += fmt.Sprintf(", %d mirrors", len(cfg.Audit.Mirrors))
	}
	checks = append(checks, record)
	if err := errors.Join(policy.Err, python.Err, record.Err); err != nil {
		return checks // a sandbox would fail for the same reason
	}
	return append(checks, tryBox(ctx, c))
}

// tryBox runs a real program in a real box.
func tryBox(ctx context.Context, c Config) Check {
	check := Check{Name: "sandbox", Fix: "see the kernel's lines above; a container needs: --security-opt seccomp=unconfined --security-opt apparmor=unconfined"}
	gate, err := Open(ctx, c)
	if err != nil {
		check.Err = err
		return check
	}
	defer gate.Close()
	start := time.Now()
	out, err := gate.Run(ctx, palisade.Submission{
		Prompt:  "doctor",
		Program: palisade.Program{Language: palisade.Python, Name: "doctor.py", Source: []byte("print(6 * 7)\n")},
	})
	switch {
	case err != nil:
		check.Err = err
	case out.Status != palisade.OK || out.Output != "42\n":
		check.Err = fmt.Errorf("a program that prints 42 ended with %s: %s", out.Status, strings.Join(out.Errors, "; "))
	default:
		check.Detail = fmt.Sprintf("%s; a program ran in %d ms; memory=%s; %s", out.Sandbox.Backend,
			time.Since(start).Milliseconds(), out.Sandbox.Layers["memory"], out.Sandbox.Runtime)
	}
	return check
}
