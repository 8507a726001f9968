# tries: become root in a user name space of its own
# must: gain nothing over what it had
# needs: deny isolation
# deny: exec fork socket mount ptrace
# expect: status=ok
# expect: stdout!~=ESCAPED
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for name, flag in (("user", 0x10000000), ("net", 0x40000000), ("pid", 0x20000000), ("mount", 0x20000), ("ipc", 0x8000000), ("uts", 0x4000000), ("all", 0x7C020000)):
    got = libc.unshare(flag)
    print("went through" if got == 0 else "blocked", name, ctypes.get_errno())
try:
    open("/proc/self/uid_map", "w").write("0 65534 1")
    print("mapped", os.getuid())
except OSError as e:
    print("blocked", e.errno)
for act in (lambda: open("/etc/palisade-probe", "w"), lambda: open("/proc/sys/kernel/core_pattern", "w").write("x"), lambda: os.listdir("/root/.ssh")):
    try:
        act()
        print("ESCAPED")
    except OSError as e:
        print("blocked", e.errno)
if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
    print("ESCAPED: mounted")
