package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"palisade/internal/bench"
)

// peer is another sandbox, and how it is started with strict settings.
type peer struct {
	name    string
	version []string // the command that tells its version
	detail  string
	argv    func(f benchRunFlags, code string) []string
	// elsewhere: a daemon does the work.
	elsewhere bool
	// image: it runs a container image, which inspect finds on this machine.
	image bool
}

// benchPeers are those that are known. Limits on memory, processes and time are
// set where a peer has them.
var benchPeers = []peer{
	{
		name: "bwrap", version: []string{"bwrap", "--version"},
		detail: "all namespaces, read-only /usr, no capabilities, as nobody; it has no limits of its own",
		argv: func(f benchRunFlags, code string) []string {
			argv := []string{"bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--die-with-parent", "--new-session", "--clearenv",
				"--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
				"--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
				"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/work", "--chdir", "/work", "--cap-drop", "ALL"}
			for _, pair := range oneThread {
				name, value, _ := strings.Cut(pair, "=")
				argv = append(argv, "--setenv", name, value)
			}
			return append(argv, f.python, "-I", "-c", code)
		},
	},
	{
		name: "firejail", version: []string{"firejail", "--version"},
		detail: "no network, private home, /tmp and /dev, no capabilities, seccomp, limits on memory, processes and files",
		argv: func(f benchRunFlags, code string) []string {
			return []string{"firejail", "--quiet", "--noprofile", "--net=none", "--private", "--private-tmp", "--private-dev", "--caps.drop=all",
				"--nonewprivs", "--noroot", "--nogroups", "--seccomp", "--rlimit-as=2147483648", "--rlimit-nproc=64", "--rlimit-nofile=64", "--", f.python, "-I", "-c", code}
		},
	},
	container("podman", false),
	container("docker", true),
	{
		name: "runsc", version: []string{"runsc", "--version"},
		detail: "gVisor's own command: runsc do, no network, the host's files read-only",
		argv: func(f benchRunFlags, code string) []string {
			return []string{"runsc", "--network=none", "--ignore-cgroups", "do", f.python, "-I", "-c", code}
		},
	},
}

// container is an engine that runs images.
func container(engine string, daemon bool) peer {
	return peer{
		name: engine, version: []string{engine, "--version"}, elsewhere: daemon, image: true,
		detail: "no network, read-only, no capabilities, no new privileges, as nobody, limits on memory and processes",
		argv: func(f benchRunFlags, code string) []string {
			argv := []string{engine, "run", "--rm", "--pull", "never", "--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
				"--user", "65534:65534", "--memory", "512m", "--pids-limit", "64", "--tmpfs", "/tmp", "--workdir", "/tmp"}
			for _, pair := range oneThread {
				argv = append(argv, "--env", pair)
			}
			return append(argv, f.image, "python3", "-I", "-c", code)
		},
	}
}

// probeTime bounds a look at a peer: one that hangs is absent.
const probeTime = 30 * time.Second

// peerSubjects are the peers that are installed and start.
func peerSubjects(ctx context.Context, f benchRunFlags, absent func(string, error)) (found []*subject) {
	for _, p := range benchPeers {
		version, err := p.probe(ctx, f)
		if err != nil {
			absent(p.name, err)
			continue
		}
		found = append(found, &subject{
			name: p.name, kind: bench.Peer, detail: version + ": " + p.detail, elsewhere: p.elsewhere, python: true,
			run: func(ctx context.Context, program timedProgram) (bool, error) {
				return false, execute(ctx, p.argv(f, program.source)...)
			},
		})
	}
	return found
}

// probe tells a peer's version, or why it cannot be measured.
func (p peer) probe(ctx context.Context, f benchRunFlags) (string, error) {
	if _, err := exec.LookPath(p.name); err != nil {
		return "", errors.New("not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, p.version[0], p.version[1:]...).Output()
	if err != nil {
		return "", fmt.Errorf("installed, but %s fails: %w", strings.Join(p.version, " "), err)
	}
	if p.image {
		if err := execute(ctx, p.name, "image", "inspect", f.image); err != nil {
			return "", fmt.Errorf("installed, but it has no image %s here, or does not answer (%w)", f.image, err)
		}
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return version, nil
}
