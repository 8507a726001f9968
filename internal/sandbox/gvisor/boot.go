package gvisor

import (
	"errors"
	stdflag "flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
	_ "unsafe" // for go:linkname

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/cpuid"
	"gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/pkg/metric"
	"gvisor.dev/gvisor/pkg/sentry/devices/nvproxy/nvconf"
	"gvisor.dev/gvisor/runsc/boot"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/flag"
	"gvisor.dev/gvisor/runsc/specutils"
	"gvisor.dev/gvisor/runsc/starttime"
)

// The sentry is booted here, and not by gVisor's command of that name
// (runsc/cmd/boot.go). That one executes the program a second time to be rid of
// its capabilities, and once more for a process that unmounts /proc; each
// execution sets up all packages of this program, which takes as long as the
// rest of a boot. This one does the same in one process: it looks at what it
// needs of the host, enters a root that holds nothing of it, gives up every
// capability on all of its threads, and boots.

// bootFailed is the exit code of a sentry that could not boot, as gVisor's.
const bootFailed = 128

// bootMain is the whole life of a sentry. Standard error is where its last words
// go.
func bootMain(args []string) int {
	status, err := bootSentry(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "boot:", err)
		return bootFailed
	}
	if status.Signaled() {
		return bootFailed + int(status.Signal())
	}
	return status.ExitStatus()
}

// bootSentry takes the command line that gVisor starts a sentry with, and returns
// how the guest's first process ended.
func bootSentry(args []string) (unix.WaitStatus, error) {
	conf, order, err := parseBoot(args)
	if err != nil {
		return 0, err
	}
	if order.attached {
		if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
			return 0, fmt.Errorf("parent death signal: %w", err)
		}
	}
	spec, err := order.spec(conf)
	if err != nil {
		return 0, err
	}
	// All of these look at files of the host, once and for good.
	cpuid.Initialize()
	_ = time.Local.String()
	_ = starttime.Get()
	if err := onlyOwn(order.descriptors()); err != nil {
		return 0, err
	}
	if err := enterEmptyRoot(); err != nil {
		return 0, fmt.Errorf("empty root: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return 0, err
	}
	loader, err := boot.New(order.args(conf, spec))
	if err != nil {
		return 0, err
	}
	schedulerBase = 0
	if err := metric.Initialize(); err != nil {
		return 0, err
	}
	started := os.NewFile(uintptr(order.startFD), "start")
	if _, err := started.Write(make([]byte, 1)); err != nil {
		return 0, fmt.Errorf("report: %w", err)
	}
	_ = started.Close()
	loader.WaitForStartSignal()
	if err := loader.Run(); err != nil {
		return 0, err
	}
	status := loader.WaitExit()
	// The launcher has asked how the box ended, ends this process once it knows, and
	// would not know if this process were faster.
	time.Sleep(toldPatience)
	loader.Destroy()
	return unix.WaitStatus(status), nil
}

// toldPatience is how long a sentry whose guest has ended waits to be ended itself.
const toldPatience = 5 * time.Second

// schedulerBase is gVisor's: how many processors Go's scheduler uses beside those
// that are added for a time. At 0 gVisor leaves the scheduler as it is. Else it
// has the scheduler made wider, and narrower again, for 128 threads that
// read the saved memory of a box; that memory is the host's already, and what is made for
// so many takes more time than the reading.
//
//go:linkname schedulerBase gvisor.dev/gvisor/pkg/gomaxprocs.base
var schedulerBase int

// bootOrder is what a sentry is told on its command line, beside gVisor's
// configuration. What is not here is nothing that a box has, and an error.
type bootOrder struct {
	id, bundle                            string
	attached, setupRoot                   bool
	specFD, controllerFD, startFD, initFD int
	none                                  [2]int // what only a box with a gofer has
	totalMemory, hostMemory               uint64
	root, stdio, sinks                    fdList
	rootMounts                            boot.GoferMountConfFlags
	pass                                  fdPairs
	logs                                  [2]int // gVisor's, and of last words
}

// descriptors are those that the sentry was started with.
func (o *bootOrder) descriptors() []int {
	all := slices.Concat([]int{0, 1, 2, o.specFD, o.controllerFD, o.startFD, o.initFD}, o.logs[:], o.root, o.stdio, o.sinks)
	for _, p := range o.pass {
		all = append(all, p.Host)
	}
	return all
}

// parseBoot reads the command line, and puts gVisor's logs and the sentry's last
// words where the launcher wants them.
func parseBoot(args []string) (*config.Config, *bootOrder, error) {
	flags := flag.NewFlagSet(sandboxName, stdflag.ContinueOnError)
	flags.SetOutput(io.Discard) // what is wrong is returned
	config.RegisterFlags(flags)
	debug, last := flags.Int("debug-log-fd", -1, ""), flags.Int("panic-log-fd", -1, "")
	if err := flags.Parse(args); err != nil {
		return nil, nil, err
	}
	conf, err := config.NewFromFlags(flags)
	if err != nil {
		return nil, nil, err
	}
	setLogs(conf, *debug, *last)
	if flags.Arg(0) != bootVerb {
		return nil, nil, fmt.Errorf("command %q", flags.Arg(0))
	}
	order := &bootOrder{logs: [2]int{*debug, *last}}
	rest := order.flags()
	rest.SetOutput(io.Discard)
	if err := rest.Parse(flags.Args()[1:]); err != nil {
		return nil, nil, err
	}
	order.id = rest.Arg(0)
	return conf, order, nil
}

func setLogs(conf *config.Config, debug, last int) {
	var to io.Writer = io.Discard
	log.SetLevel(log.Warning)
	if debug >= 0 {
		to = os.NewFile(uintptr(debug), "debug log")
	}
	if conf.Debug {
		log.SetLevel(log.Debug)
	}
	log.SetTarget(log.GoogleEmitter{Writer: &log.Writer{Next: to}})
	if last >= 0 {
		_ = unix.Dup3(last, int(os.Stderr.Fd()), 0)
	}
}

func (o *bootOrder) flags() *flag.FlagSet {
	f := flag.NewFlagSet(bootVerb, stdflag.ContinueOnError)
	f.StringVar(&o.bundle, "bundle", "", "")
	f.BoolVar(&o.attached, "attached", false, "")
	f.BoolVar(&o.setupRoot, "setup-root", false, "")
	f.IntVar(&o.specFD, "spec-fd", -1, "")
	f.IntVar(&o.controllerFD, "controller-fd", -1, "")
	f.IntVar(&o.startFD, "start-sync-fd", -1, "")
	f.IntVar(&o.none[0], "dev-io-fd", -1, "")
	f.IntVar(&o.none[1], "mounts-fd", -1, "")
	f.IntVar(&o.initFD, "pod-init-config-fd", -1, "")
	f.Uint64Var(&o.totalMemory, "total-memory", 0, "")
	f.Uint64Var(&o.hostMemory, "total-host-memory", 0, "")
	f.Var(&o.root, "io-fds", "")
	f.Var(&o.rootMounts, "gofer-mount-confs", "")
	f.Var(&o.stdio, "stdio-fds", "")
	f.Var(&o.sinks, "sink-fds", "")
	f.Var(&o.pass, "pass-fd", "")
	return f
}

// spec reads the box's description, and closes it.
func (o *bootOrder) spec(conf *config.Config) (*specs.Spec, error) {
	if o.specFD < 0 || o.controllerFD < 0 || o.startFD < 0 || max(o.none[0], o.none[1]) >= 0 || !o.setupRoot {
		return nil, errors.New("the order to boot is not one of a box")
	}
	f := os.NewFile(uintptr(o.specFD), "spec")
	defer f.Close()
	spec, err := specutils.ReadSpecFromFile(o.bundle, f, conf)
	if err != nil {
		return nil, fmt.Errorf("read the box's spec: %w", err)
	}
	return spec, nil
}

func (o *bootOrder) args(conf *config.Config, spec *specs.Spec) boot.Args {
	return boot.Args{
		ID: o.id, Spec: spec, Conf: conf,
		ControllerFD: o.controllerFD, PodInitConfigFD: o.initFD, SinkFDs: o.sinks,
		GoferFDs: o.root, GoferMountConfs: o.rootMounts, StdioFDs: o.stdio, PassFDs: o.pass,
		TotalMem: o.totalMemory, TotalHostMem: o.hostMemory,
		NvidiaHostSettings: &nvconf.HostSettings{},
		DevGoferFD:         -1, ExecFD: -1, RootfsUpperTarFD: -1,
	}
}
