# tries: open files behind the filter's back by io_uring
# must: be refused
# needs: isolation
# expect: status=ok
# expect: stdout~=^blocked
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
got = libc.syscall(425, 8, ctypes.create_string_buffer(256))
print("ESCAPED" if got >= 0 else "blocked", ctypes.get_errno())
