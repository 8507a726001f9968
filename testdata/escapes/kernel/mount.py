# tries: mount something, in a name space of its own if need be
# must: be refused with an errno
# needs: deny isolation
# deny: mount
# expect: status=ok
# expect: stdout!~=ESCAPED
# expect: stdout~=^blocked 1$
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def tell(what, got):
    print("ESCAPED " + what if got == 0 else "blocked", ctypes.get_errno())


os.makedirs("/work/m", exist_ok=True)
for _ in range(2):
    tell("tmpfs", libc.mount(b"none", b"/work/m", b"tmpfs", 0, None))
    tell("proc", libc.mount(b"none", b"/work/m", b"proc", 0, None))
    tell("bind", libc.mount(b"/", b"/work/m", None, 4096, None))
    tell("remount", libc.mount(None, b"/", None, 32, None))
    tell("umount", libc.umount2(b"/tmp", 2))
    libc.unshare(0x10000000 | 0x20000)  # user and mount name spaces: it then may more
