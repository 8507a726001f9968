# tries: keep a key in the kernel for a later run
# must: be refused
# needs: isolation
# expect: status=ok
# expect: stdout!~=ESCAPED
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
got = libc.syscall(248, b"user", b"palisade", b"secret", 6, -4)  # the user's own keyring
print("ESCAPED" if got >= 0 else "blocked", ctypes.get_errno())
