package sandbox

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"time"

	"palisade"
	"palisade/internal/lang"
)

// start brings a conversation to the moment where the program runs. An error
// means that it does not.
func (c *conversation) start(ctx context.Context) error {
	timeout := c.hooks.StartTimeout
	if timeout == 0 {
		timeout = defaultStartTimeout
	}
	late := time.AfterFunc(timeout, func() {
		c.kill(KillNotReady, fmt.Sprintf("not ready after %v", timeout))
		c.pipes.Drain(time.Now())
	})
	defer late.Stop()

	// A guest that ends early closes its pipe, so that this cannot hang: the
	// timeout kills it. What it said is then more telling than the error here.
	sent := make(chan error, 1)
	go func() { sent <- c.send() }()
	kind, payload, err := readFrame(c.pipes.Out)
	if err != nil {
		return fmt.Errorf("the box ended before it was ready: %w", err)
	}
	if err := <-sent; err != nil {
		return fmt.Errorf("send the program: %w", err)
	}
	if kind != frameReady {
		return fmt.Errorf("the harness began with a frame of type %q", kind)
	}
	if !late.Stop() {
		return fmt.Errorf("not ready after %v", timeout)
	}
	return c.confirm(ctx, payload)
}

// send writes the job into the box.
func (c *conversation) send() error {
	w := bufio.NewWriter(c.pipes.In) // what is large goes past it
	job := c.job
	err := errors.Join(
		writeFrame(w, frameProgram, joinFields([]byte(guestName(job.Program.Name)), job.Program.Source)),
		writeFrame(w, frameLimits, joinFields(c.limits()...)),
	)
	for _, m := range job.Program.Modules {
		err = errors.Join(err, writeFrame(w, frameModule, joinFields([]byte(m.Name), []byte(lang.ModuleFile(m.Name)), m.Source)))
	}
	if job.Program.Entry != "" {
		args, argsErr := lang.EncodeArgs(job.Inputs.Args)
		err = errors.Join(err, argsErr, writeFrame(w, frameEntry, []byte(job.Program.Entry)), writeFrame(w, frameArgs, args))
	}
	for _, f := range job.Files {
		if bad := lang.CheckName(f.Name); bad != nil {
			return fmt.Errorf("file %q: %w", f.Name, bad)
		}
		first := min(len(f.Data), chunk)
		err = errors.Join(err,
			writeFrame(w, frameFile, joinFields([]byte(f.Name), f.Data[:first])),
			sendChunks(w, frameMore, f.Data[first:]))
	}
	if c.hooks.Exit != nil {
		err = errors.Join(err, writeFrame(w, frameExit, exitFields(c.hooks.Exit.Box())))
	}
	return errors.Join(err, sendChunks(w, frameStdin, job.Stdin), writeFrame(w, frameSeal, nil), w.Flush())
}

// exitFields are what the harness is told of the way out.
func exitFields(p ExitPlan) []byte {
	fields := [][]byte{p.Certificates}
	for _, v := range p.Variables {
		fields = append(fields, []byte(v[0]), []byte(v[1]))
	}
	return joinFields(fields...)
}

func sendChunks(w io.Writer, kind byte, data []byte) error {
	for part := range slices.Chunk(data, chunk) {
		if err := writeFrame(w, kind, part); err != nil {
			return err
		}
	}
	return nil
}

// guestName is what the program is called inside: the host's folders are not
// the guest's business.
func guestName(name string) string {
	name = path.Base(name)
	if name == "." || name == ".." || name == "/" {
		return "program"
	}
	return name
}

// limits are those that the harness sets on itself before the program starts.
func (c *conversation) limits() []string {
	l := c.job.Limits
	if c.hooks.Exit != nil {
		l.OpenFiles += RelayFiles
	}
	pairs := []string{
		"nofile", strconv.Itoa(l.OpenFiles),
		"nproc", strconv.Itoa(l.Processes + c.hooks.Processes),
		"fsize", strconv.FormatInt(l.Disk, 10),
		"core", "0",
		"memory", strconv.FormatInt(l.Memory, 10),
		"artifact_files", strconv.Itoa(MaxArtifacts),
		"artifact_bytes", strconv.FormatInt(c.files.max, 10),
	}
	if c.hooks.AddressSpace > 0 {
		pairs = append(pairs, "as", strconv.FormatInt(c.hooks.AddressSpace, 10))
	}
	return pairs
}

// confirm takes the harness's report to the gate, and says go if it agrees.
func (c *conversation) confirm(ctx context.Context, payload []byte) error {
	trees, inside, complaint, err := readReport(payload)
	if err != nil {
		return fmt.Errorf("the harness's report: %w", err)
	}
	seen, err := c.hooks.Layers(ctx)
	if err != nil {
		return fmt.Errorf("observe the box: %w", err)
	}
	layers, err := mergeLayers(seen, inside)
	c.t.Ready = palisade.Ready{Backend: c.hooks.Backend, Runtime: c.hooks.Runtime, Trees: trees, Layers: layers}
	// The gate is asked even where the answer is known, so that it is on the record.
	err = errors.Join(err, c.job.Confirm(ctx, c.t.Ready))
	if complaint != "" {
		err = errors.Join(fmt.Errorf("in the box: %s", complaint), err)
	}
	if err != nil {
		if ctx.Err() == nil {
			c.kill(KillRefused, err.Error())
		}
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := c.hooks.Go(); err != nil {
		return fmt.Errorf("start the run's budget: %w", err)
	}
	if err := writeFrame(c.pipes.In, frameGo, nil); err != nil {
		return fmt.Errorf("say go: %w", err)
	}
	c.t.Started, c.t.Began = true, time.Now()
	// Nothing more is said to the box; its end of the pipe may be gone already.
	_ = c.pipes.In.Close()
	return nil
}

// readReport reads the harness's ready frame.
func readReport(payload []byte) (trees map[string]palisade.Digest, layers map[string]string, complaint string, err error) {
	fields, err := splitFields(payload)
	if err != nil {
		return nil, nil, "", err
	}
	trees, layers = map[string]palisade.Digest{}, map[string]string{}
	for triple := range slices.Chunk(fields, 3) {
		if len(triple) < 3 {
			return nil, nil, "", errors.New("fields are missing")
		}
		kind, key, value := string(triple[0]), string(triple[1]), string(triple[2])
		switch kind {
		case "tree":
			var d palisade.Digest
			raw, err := hex.DecodeString(value)
			if err != nil || copy(d[:], raw) != len(d) || len(raw) != len(d) {
				return nil, nil, "", fmt.Errorf("tree %q: digest %q", key, value)
			}
			if _, twice := trees[key]; twice {
				return nil, nil, "", fmt.Errorf("tree %q twice", key)
			}
			trees[key] = d
		case "layer":
			layers[key] = value
		case "error":
			complaint = fmt.Sprintf("%s: %.500s", key, value)
		default:
			return nil, nil, "", fmt.Errorf("kind %q", kind)
		}
	}
	return trees, layers, complaint, nil
}

// mergeLayers adds what the harness reported to what the host observed. A layer
// on which they differ is not in force, and an error.
func mergeLayers(seen, inside map[string]string) (map[string]string, error) {
	layers := maps.Clone(seen)
	if layers == nil {
		layers = map[string]string{}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(inside)) {
		host, both := seen[name]
		if both && host != inside[name] {
			errs = append(errs, fmt.Errorf("layer %s: the host sees %q, the box reports %q", name, host, inside[name]))
			delete(layers, name)
			continue
		}
		layers[name] = inside[name]
	}
	return layers, errors.Join(errs...)
}
