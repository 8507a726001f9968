# tries: crash the kernel with nonsense
# must: end, one way or the other, without the host noticing
# needs: isolation
# limits: cpu=5s wall=8s
# expect: status=ok|killed|runtime_error|wall_limit|cpu_limit|memory_limit|process_limit|files_limit|disk_limit
import ctypes
import random

libc = ctypes.CDLL(None, use_errno=True)
skip = {0, 1, 15, 34, 35, 56, 57, 58, 59, 60, 61, 62, 200, 219, 230, 231, 232, 234, 247, 270, 271, 281, 322, 434, 435, 436, 441}
random.seed(7)
values = [0, 1, -1, 3, 1000, 2**31, 2**63, 0xFFFFFFFF, ctypes.addressof(ctypes.create_string_buffer(4096))]
for number in range(0, 460):
    if number in skip:
        continue
    for _ in range(3):
        libc.syscall(number, *[ctypes.c_uint64(random.choice(values) & 2**64 - 1) for _ in range(6)])
print("survived")
