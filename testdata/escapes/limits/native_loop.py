# tries: compute for ever in machine code that makes no call
# must: be ended by its CPU limit
# needs: cpu
# limits: cpu=1s wall=60s
# expect: status=cpu_limit
# expect: hits=cpu
import ctypes
import mmap

code = mmap.mmap(-1, 4096, prot=7)
code.write(b"\xeb\xfe" if __import__("os").uname().machine == "x86_64" else b"\x00\x00\x00\x14")
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
