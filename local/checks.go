package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"palisade"
	"palisade/internal/sandbox/gvisor"
	"palisade/internal/sandbox/native"
)

// Check is one thing that a gate needs, tried for real.
type Check struct {
	Name   string
	Detail string // what was found
	Err    error  // nil: it is there
	Fix    string // how to get it, if it is not
	// Optional is what only some programs need; others run without it.
	Optional bool
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
	set, _, err := loadPolicy(c, cfg, nil)
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
	brake := checkBrake(ctx, c)
	if checks = append(checks, brake); brake.Err != nil {
		return checks // nothing would start
	}
	return append(append(checks, tryBoxes(ctx, c)...), runtimes(c))
}

// runtimes says what boxes are made of. Where it is not built yet the first run
// takes seconds longer.
func runtimes(c Config) Check {
	check := Check{Name: "runtime images", Optional: true, Fix: "palisade runtime build makes them now; else the first run of each language does, and takes seconds longer"}
	all, err := Runtimes(c)
	if err != nil {
		check.Err = err
		return check
	}
	var names []string
	for _, one := range all {
		if one.Current {
			names = append(names, fmt.Sprintf("%s (%d MB)", one.Kind, one.Size/1_000_000))
		}
	}
	if check.Detail = strings.Join(names, ", "); len(names) == 0 {
		check.Err = errors.New("none is built")
	}
	return check
}

// checkBrake looks whether anything may run at all.
func checkBrake(ctx context.Context, c Config) Check {
	check := Check{Name: "brake", Detail: "no lockdown", Fix: "palisade lockdown status says who did it and why; palisade lockdown off lifts it"}
	brake, err := OpenIncident(ctx, c)
	if err != nil {
		check.Err, check.Fix = err, "the state folder must be writable by this user"
		return check
	}
	defer brake.Close()
	s, _ := brake.State() // in doubt, a lockdown that says so
	if s.Lockdown.On {
		check.Err = fmt.Errorf("lockdown%s", s.Lockdown)
	}
	if s.EgressOff.On {
		check.Detail += "; egress is off" + s.EgressOff.String()
	}
	return check
}

// tryBoxes runs a real program in a real box, and brings up a box of each other
// language that runs.
func tryBoxes(ctx context.Context, c Config) []Check {
	check := Check{Name: "sandbox", Fix: "see the kernel's lines above; a container needs: --security-opt seccomp=unconfined --security-opt apparmor=unconfined"}
	gate, err := Open(ctx, c)
	if err != nil {
		check.Err = err
		return []Check{check}
	}
	defer gate.Close()
	if check.Detail, check.Err = tryProgram(ctx, gate); check.Err != nil {
		return []Check{check}
	}
	return []Check{check, tryLanguage(ctx, gate, palisade.Shell), tryLanguage(ctx, gate, palisade.JavaScript), tryNative(ctx, gate)}
}

// tryProgram runs a program through a gate, and says what was around it.
func tryProgram(ctx context.Context, gate *Gate) (detail string, err error) {
	start := time.Now()
	out, err := gate.Run(ctx, palisade.Submission{
		Prompt:  "doctor",
		Program: palisade.Program{Language: palisade.Python, Name: "doctor.py", Source: []byte("print(6 * 7)\n")},
	})
	if err != nil {
		return "", err
	}
	if out.Status != palisade.OK || out.Output != "42\n" {
		return "", fmt.Errorf("a program that prints 42 ended with %s: %s", out.Status, strings.Join(out.Errors, "; "))
	}
	return fmt.Sprintf("%s; a program ran in %d ms; memory=%s; %s", out.Sandbox.Backend,
		time.Since(start).Milliseconds(), out.Sandbox.Layers["memory"], out.Sandbox.Runtime), nil
}

// tryLanguage brings up a box in which no program is started.
func tryLanguage(ctx context.Context, gate *Gate, l palisade.Language) Check {
	check := Check{Name: string(l), Optional: true, Fix: "programs in this language are refused until then; others run"}
	b, err := gate.sandbox.Backend(ctx, gvisor.Backend)
	if err == nil {
		var ready palisade.Ready
		ready, err = b.Try(ctx, l)
		check.Detail = ready.Runtime
	}
	check.Err = err
	return check
}

// tryNative brings up a box of the native back-end, which runs only where policy
// names it.
func tryNative(ctx context.Context, gate *Gate) Check {
	check := Check{Name: native.Backend, Optional: true, Fix: "profiles that name the back-end native cannot run programs here; others can"}
	if !slices.Contains(gate.named, native.Backend) {
		check.Detail = "not started: no profile names it (isolation: {backends: [native]})"
		return check
	}
	b, err := gate.sandbox.Backend(ctx, native.Backend)
	if err == nil {
		var ready palisade.Ready
		ready, err = b.Try(ctx, palisade.Python)
		check.Detail = fmt.Sprintf("a box came up; memory=%s, processes=%s, landlock=%s", ready.Layers["memory"], ready.Layers["processes"], cmp.Or(ready.Layers["landlock"], "no"))
	}
	check.Err = err
	return check
}
