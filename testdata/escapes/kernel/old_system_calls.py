# tries: make system calls by the gates for 32-bit programs and x32
# must: have them refused
# needs: isolation
# expect: status=ok|killed
# expect: stdout!~=ESCAPED
import ctypes
import mmap
import os

libc = ctypes.CDLL(None, use_errno=True)
got = libc.syscall(0x40000000 | 39)  # getpid of x32
print("ESCAPED: x32" if got > 0 else "blocked", flush=True)
if os.uname().machine == "x86_64":
    # push rbx; mov eax, 20 (getpid of i386); int 0x80; pop rbx; ret
    code = b"\x53\xb8\x14\0\0\0\xcd\x80\x5b\xc3"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    got = call()
    print("ESCAPED: int 0x80" if got > 0 else "blocked", got, flush=True)
