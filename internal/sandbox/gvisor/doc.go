// Package gvisor makes boxes whose kernel is gVisor's, embedded in this program.
//
// A program that makes boxes runs itself again in two roles: the launcher, a
// child that calls gVisor's own Go packages; and per box the sentry, gVisor's
// kernel, with its stub processes. The first line of main therefore asks [Reexec]. The launcher is used by
// root and by ordinary users alike: what gVisor does to the process that calls
// it (standard streams, limits, child processes) is kept from the program that
// holds keys and log. It needs no user namespace of its own, since each sentry
// gets one; the main process never enters any.
//
// A box's root is one EROFS image (internal/rootfs), of its language, so that nothing is mounted
// on the host and no process serves files to the box. The sentry is this very
// program: before it boots it wraps its table of system calls with a guard
// (guard.go), which bounds the number of files, takes fuse and tun from /dev,
// counts what limits refused, refuses the calls that the verdict denies, and
// tells what the program does.
//
// The package promises:
//   - a box is made for one run and destroyed after it, whatever happened; when
//     this process dies, even by kill -9, its boxes die within a second, and
//     the next start removes what they left, and only that;
//   - limits that kill (CPU, wall, memory, output) are judged here, from what
//     the host measures; budgets start at go, and what the box used until then
//     is its own overhead;
//   - limits that refuse (processes, open files, bytes, files) are held by the
//     box's kernel, and stand in LimitsHit as that kernel counted them;
//   - a layer is reported only if it was observed around this very box.
//
// Boxes may be kept warm (Config.Pool, warm.go): a template is booted, for Python
// imports modules, and is saved before it has a job; boxes are restored from it,
// rehearse a program of ours, and are stopped until a job comes. A program that runs
// as text has its interpreter started when it comes; where it has peers, its way out
// is opened then. They are held to
// the same limits, by the same means, as boxes that were booted for their job, and
// the suite runs over both. What is random in a restored box is made anew, in
// harness/warm.py; the seed of its hashes and the layout of its memory are its
// template's, which is replaced after a number of boxes or an hour, and never
// serves two tenants. What a template imported is hidden from a program until
// that imports it. Deterministic programs start cold: where things lie in memory
// differs between a restored box and another, and shows. Boxes share no pages of
// their guests, though many are equal: gVisor maps one file of memory for each.
//
// Layers that it reports (those of the harness, seen from inside, are uid, gid,
// capabilities, python, guest_seccomp and text: the program's text was sealed
// before its digest was taken):
//
//	start                cold, or restored: from a template
//	kernel               gvisor-systrap: the guest's system calls go to gVisor
//	no_new_privs         yes: given to that kernel for the first process
//	syscalls             guard: that kernel refuses the verdict's system calls
//	events               kernel: it tells what the program does (events.go)
//	rootfs               read-only: the image is open for reading only
//	disk, inodes         tmpfs, guard: who bounds bytes and files of scratch
//	memory               cgroup, or watched: looked at every 20 ms, and bounded
//	                     for each process by its address space
//	cpu                  cgroup, or watched: what measures it
//	host_pids            cgroup: a backstop for the sentry's own threads
//	wall, output         host
//	network              none: the sentry's network has a loopback at most;
//	                     proxy: so it is, and the one way out is the proxy's
//	namespaces           those that the sentry does not share with the host
//	sentry_seccomp       filter: gVisor's own, around its kernel
//	sentry_no_new_privs  yes
//	sentry_capabilities  none, in all five sets
//	sentry_uid           the host's user behind the sentry: 65534, or the
//	                     caller's own where boxes are made without root
//	sentry_root          empty: nothing of the host's files can be named, it holds
//	                     the sentry's own map of addresses alone
//	determinism          kernel: chance and clock of the box are fixed, as
//	                     guard_fixed.go says; clock and chance say how
//
// The limit on disk is that of both scratch directories together: three quarters
// are /work's, a quarter is /tmp's, and what was put there for the program
// counts. CPU time counts what the box's kernel does for the program.
//
// It does not bound what a sentry writes to its last words, and it cannot tell
// a guest that kills itself from a sentry that someone else on the host killed:
// both are the status killed.
package gvisor
