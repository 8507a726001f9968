# tries: load a BPF program
# must: be refused
# needs: isolation
# expect: status=ok
# expect: stdout~=^blocked
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(b"\xb7\0\0\0\0\0\0\0\x95\0\0\0\0\0\0\0")
attr = (ctypes.c_uint64 * 16)(1 | 2 << 32, ctypes.addressof(code), ctypes.addressof(ctypes.create_string_buffer(b"GPL")))
got = libc.syscall(321, 5, attr, 72)
print("ESCAPED" if got >= 0 else "blocked", ctypes.get_errno())
