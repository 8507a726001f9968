# tries: open a file of the host by its handle
# must: be refused
# needs: isolation
# expect: status=ok
import ctypes
import struct

libc = ctypes.CDLL(None, use_errno=True)
handle = ctypes.create_string_buffer(struct.pack("Ii", 8, 1) + struct.pack("Q", 2))
for fd in (0, 1, 2, -100):
    got = libc.open_by_handle_at(fd, handle, 0)
    print("ESCAPED" if got >= 0 else "blocked", got, ctypes.get_errno())
