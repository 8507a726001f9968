package gvisor

import (
	"fmt"
	"reflect"
	"unsafe"

	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/fspath"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/kernel/auth"
	"gvisor.dev/gvisor/pkg/sentry/ktime"
	sentrytime "gvisor.dev/gvisor/pkg/sentry/time"
	"gvisor.dev/gvisor/pkg/sentry/vfs"
)

// guestClocks are the sentry's clocks in a deterministic box. Its own waits keep
// the host's monotonic clock; what it stamps files with is the guest's time. They
// are never ready for the vDSO, the page by which programs read clocks without a
// system call: every look reaches the guard.
type guestClocks struct {
	host  sentrytime.Clocks
	fixed *fixed
}

// Update implements sentrytime.Clocks.
func (c *guestClocks) Update() (monotonic sentrytime.Parameters, ok bool, realtime sentrytime.Parameters, ok2 bool) {
	return monotonic, false, realtime, false
}

// GetTime implements sentrytime.Clocks.
func (c *guestClocks) GetTime(id sentrytime.ClockID) (int64, error) {
	if id == sentrytime.Realtime {
		return wallOf(c.fixed.latest.Load()), nil
	}
	return c.host.GetTime(id)
}

// fixClocks gives a kernel that has booted other clocks. gVisor has no call for
// that, so that fields of its own are set, by their names and types in the one
// version that is linked: where one is not as expected, this fails.
func fixClocks(t *kernel.Task, f *fixed) error {
	keeper := t.Kernel().Timekeeper()
	clocks, err := field[sentrytime.Clocks](keeper, "clocks")
	if err != nil {
		return err
	}
	boot, err := field[ktime.Time](keeper, "bootTime")
	if err != nil {
		return err
	}
	params, err := field[*kernel.VDSOParamPage](t.Kernel(), "vdsoParams")
	if err != nil {
		return err
	}
	keeper.PauseUpdates()
	*clocks = &guestClocks{*clocks, f}
	*boot = ktime.FromNanoseconds(wallOf(-int64(fixedUptime)))
	// Started, the updates begin with one, and stopping waits for its end: the
	// page says "not ready" from here on, since nobody writes it again.
	keeper.ResumeUpdates(*params)
	keeper.PauseUpdates()
	return stampScratch(t)
}

// field returns the address of an unexported field.
func field[T any](of any, name string) (*T, error) {
	v := reflect.ValueOf(of).Elem().FieldByName(name)
	if !v.IsValid() || v.Type() != reflect.TypeFor[T]() {
		return nil, fmt.Errorf("gVisor's %T has no field %s of type %v", of, name, reflect.TypeFor[T]())
	}
	return (*T)(unsafe.Pointer(v.UnsafeAddr())), nil
}

// stampScratch gives the directories that were made before the clocks were fixed
// the time that everything else there has.
func stampScratch(t *kernel.Task) error {
	root := t.MountNamespace().Root(t)
	defer root.DecRef(t)
	creds := auth.NewRootCredentials(t.Kernel().RootUserNamespace())
	at := linux.StatxTimestamp{Sec: fixedStart}
	for _, dir := range scratchDirs() {
		err := t.Kernel().VFS().SetStatAt(t, creds, &vfs.PathOperation{Root: root, Start: root, Path: fspath.Parse(dir)}, &vfs.SetStatOptions{
			Stat: linux.Statx{Mask: linux.STATX_ATIME | linux.STATX_MTIME, Atime: at, Mtime: at},
		})
		if err != nil {
			return fmt.Errorf("set the time of %s: %w", dir, err)
		}
	}
	return nil
}
