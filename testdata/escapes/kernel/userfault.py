# tries: stop the kernel in the middle of a copy by userfaultfd or FUSE
# must: be refused
# needs: isolation
# expect: status=ok
# expect: stdout!~=ESCAPED
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for flags in (0, 1, os.O_CLOEXEC):
    got = libc.syscall(323, flags)
    print("ESCAPED" if got >= 0 else "blocked", ctypes.get_errno())
try:
    os.open("/dev/fuse", os.O_RDWR)
    print("ESCAPED")
except OSError as e:
    print("blocked", e.errno)
