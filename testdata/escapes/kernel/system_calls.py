# tries: make system calls that only root may make
# must: be refused by each
# needs: isolation
# expect: status=ok
# expect: stdout~=^done$
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
numbers = {
    "x86_64": {"init_module": 175, "delete_module": 176, "finit_module": 313, "kexec_load": 246, "reboot": 169, "swapon": 167, "acct": 163,
               "iopl": 172, "ioperm": 173, "settimeofday": 164, "adjtimex": 159, "quotactl": 179, "pivot_root": 155, "mount": 165, "umount2": 166,
               "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "add_key": 248, "keyctl": 250, "request_key": 249, "io_uring_setup": 425,
               "lookup_dcookie": 212, "fanotify_init": 300, "open_tree": 428, "fsopen": 430, "move_mount": 429, "process_vm_writev": 311,
               "kcmp": 312, "vhangup": 153, "modify_ldt": 154, "setns": 308, "syslog": 103, "move_pages": 279, "migrate_pages": 256,
               "pidfd_getfd": 438, "process_madvise": 440, "memfd_secret": 447, "landlock_create_ruleset": 444, "nfsservctl": 180},
}.get(os.uname().machine, {})
harmless = {"landlock_create_ruleset", "memfd_secret", "keyctl", "adjtimex", "kcmp"}  # they change nothing, or only itself
for name, number in numbers.items():
    ctypes.set_errno(0)
    # reboot with magic numbers that reboot nothing, everything else with nothing to work on.
    got = libc.syscall(number, 0, 0, 0, 0, 0, 0)
    failed = got < 0
    print("blocked" if failed else "went through" if name in harmless else "ESCAPED", name, got, ctypes.get_errno())
print("done")
