// Package native makes boxes on the host's own kernel, for hosts and latencies
// for which gVisor is not made. It is used only where policy names it: one hole in
// the host's kernel is a way out of it.
//
// A zygote is an interpreter with its modules loaded, the first process of
// namespaces of its own, on a read-only root that holds nothing of the host but
// copies of the interpreter's files. It never runs a program: it forks boxes. Each
// is a child in fresh namespaces (user, pid, mount, net, ipc, uts, cgroup), with a
// control group, a file system for scratch and a user of the host of its own. Its
// first process waits for the second, which runs the harness, and with it ends
// everyone. A parked box is blocked in a read. Without a pool each run has a
// zygote of its own.
//
// The package promises:
//   - a box is made for one run and destroyed after it, whatever happened; when
//     this process dies, even by kill -9, its zygotes and with them all boxes are
//     killed by the kernel, and the next start removes what they left, and only
//     that;
//   - before a byte of the program runs, its process has no capability, may gain
//     none, is held by Landlock and by an allow-list of system calls, and has been
//     seen so by the host;
//   - limits that kill (CPU, wall, memory, output) are judged here, from what the
//     host measures; limits that refuse are held by the kernel, and stand in
//     LimitsHit as its counters and the calls that the host is told of say;
//   - what the verdict denies is refused, whatever a call's arguments: by this
//     process where the kernel asks it, by the kernel where it does not answer;
//   - a layer is reported only if it was observed around this very box.
//
// Layers that it reports, beside those of the harness (see package gvisor):
//
//	start         cold, or forked: by a zygote of the pool
//	kernel        host: the program's system calls go to the host's kernel
//	syscalls      seccomp: an allow-list; what it lacks fails with an errno, by
//	              whichever gate it comes. What the verdict denies the kernel asks
//	              this process about, which refuses it and tells
//	events        kernel: what a program does is told before it is made, see seen.go
//	landlock      yes: by the box's word, given before it had heard of a program
//	no_new_privs  yes
//	capabilities  none, in all five sets, of both processes
//	host_uid      unprivileged: the users and groups behind the box are not root's
//	rootfs        read-only: and /dev, and a /proc that has only the box's own
//	              processes and no settings of the kernel
//	disk, inodes  tmpfs: one for both scratch directories, of the limits' size
//	memory        cgroup, or watched: looked at every 20 ms, and bounded for each
//	              process by its address space
//	processes     cgroup, or rlimit
//	cpu           cgroup, or watched: what measures it
//	wall, output  host
//	network       none: the box's network has a loopback at most
//	              proxy: so it is, and the one way out is the proxy's
//	namespaces    those that the box does not share with the host
//
// What it cannot hide: the kernel's version, the processor's model and flags, how
// much memory there is (sysinfo), and in the table of mounts the place of the
// root's folder among the images and the device that it is on. Boxes of one zygote
// have one hash seed and one layout of addresses; zygotes are replaced by the pool,
// and never serve two tenants. A verdict that wants a
// deterministic run is refused.
package native
