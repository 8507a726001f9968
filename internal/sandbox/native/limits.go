package native

import (
	"errors"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"palisade/internal/sandbox"
)

const (
	// parkedPIDs and parkedMemory bound a box until it has a job.
	parkedPIDs   = 64
	parkedMemory = 256 << 20
	// ownInodes are those of scratch's file system that are no file of the
	// program's: its root and the two directories.
	ownInodes = 3
	// initProcess is the box's first process, which waits for the program's.
	initProcess = 1
	// pollGroup and pollWatch are how often a running box's use is looked at:
	// in a control group, and where each process is looked at by itself.
	pollGroup = 10 * time.Millisecond
	pollWatch = 20 * time.Millisecond
)

// slack is what the kernel needs itself for processes of so much memory: page
// tables, and what it has of files and pipes.
func slack(memory int64) int64 { return 12<<20 + memory/32 }

func (r *run) every() time.Duration {
	if r.group == nil {
		return pollWatch
	}
	return pollGroup
}

// maxProcesses is how many processes and threads the box may have in all.
func (r *run) maxProcesses() int {
	return r.job.Limits.Processes + r.ownProcesses()
}

// ownProcesses are those of the box's processes and threads that are not the
// program's.
func (r *run) ownProcesses() int {
	return r.zygote.root.Start.Processes + initProcess + r.way.processes()
}

// tasksLeft is how many processes and threads the box may still start.
func (r *run) tasksLeft() int {
	if r.group == nil {
		return r.maxProcesses() - countTasks(r.initPID)
	}
	now, err := r.group.Tasks()
	if err != nil {
		return 1 // the kernel knows
	}
	return r.maxProcesses() - now
}

// harnessProcesses are those beside the program's that RLIMIT_NPROC must allow.
// Where a control group counts, it is to be the one that refuses, since it tells.
func (r *run) harnessProcesses() int {
	n := r.ownProcesses()
	if r.group != nil {
		n++
	}
	return n
}

// largeMapping is from how many bytes on a mapping is looked at where memory is
// bounded by address space.
const largeMapping = 4 << 20

// counted is what the host must be told of.
func (s *Sandbox) counted() counted {
	if s.groups != nil {
		return counted{}
	}
	return counted{forks: true, mapping: largeMapping}
}

// use is what the whole box uses now.
func (r *run) use() (sandbox.Usage, error) {
	r.seen.lookAtScratch(r.scratch)
	if r.group == nil {
		return sandbox.Measure(sandbox.Tree(r.initPID)), nil
	}
	// One that cannot be read does not hide the other.
	cpu, err := r.group.CPU()
	memory, err2 := r.group.Held()
	return sandbox.Usage{CPU: cpu, Memory: memory}, errors.Join(err, err2)
}

// passed says why a box is to be ended for memory.
func (r *run) passed(memory int64) sandbox.Kill {
	limit := r.job.Limits.Memory
	if r.outOfMemory() || r.group == nil && memory > limit+slack(limit) {
		return sandbox.KillMemory
	}
	return sandbox.NotKilled
}

// outOfMemory reports whether the kernel killed a process of the box because the
// group's bound on memory was reached.
func (r *run) outOfMemory() bool {
	if r.group == nil {
		return false
	}
	kills, err := r.group.OOMKills()
	return err == nil && kills > 0
}

// slayAndDrain ends a box that did not end, and waits for nobody who holds a
// pipe.
func (r *run) slayAndDrain() {
	r.slay()
	r.pipes.Drain(time.Now().Add(drainTime))
}

// addressSpace bounds each process inside where memory is only watched: it is
// what a program may take between two looks.
func (r *run) addressSpace() int64 {
	if r.group != nil {
		return 0
	}
	return sandbox.AddressSpace(r.job.Limits, runtime.NumCPU())
}

// filesLeft reads how much of a file system is left: in bytes, and in files.
func filesLeft(fd int) (used, bytes, files int64, err error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return 0, 0, 0, err
	}
	return int64(st.Blocks-st.Bfree) * st.Bsize, int64(st.Bavail) * st.Bsize, int64(st.Ffree), nil
}
