# tries: trace a process
# must: be refused with an errno
# needs: deny
# deny: ptrace
# expect: status=ok
# expect: stdout~=^blocked 1$
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
for request, pid in ((0, 0), (16, 1), (0x4206, 1)):  # TRACEME, ATTACH, SEIZE
    got = libc.ptrace(request, pid, 0, 0)
    print("ESCAPED" if got == 0 else "blocked", ctypes.get_errno())
got = libc.process_vm_readv(1, None, 0, None, 0, 0)
print("ESCAPED" if got > 0 else "blocked", ctypes.get_errno())
