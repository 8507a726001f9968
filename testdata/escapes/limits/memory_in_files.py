# tries: take all memory by way of files that are kept in it
# must: be ended by a limit
# needs: memory disk
# limits: memory=192MiB disk=64MiB wall=30s
# expect: status=memory_limit|disk_limit|runtime_error
import os

fds = []
for i in range(100):
    fd = os.memfd_create("x")
    fds.append(fd)
    for _ in range(64):
        os.write(fd, b"x" * (1 << 20))
raise SystemExit(3)
