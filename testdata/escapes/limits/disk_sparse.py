# tries: make a file that is huge but empty, to be collected
# must: be refused, or have it left behind
# needs: isolation
# limits: disk=16MiB
# expect: status=ok|runtime_error|disk_limit
# expect: artifacts=
import os

fd = os.open("/work/sparse", os.O_RDWR | os.O_CREAT)
try:
    os.truncate(fd, 1 << 40)
except OSError:
    os.unlink("/work/sparse")
    raise
