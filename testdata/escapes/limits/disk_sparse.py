# tries: make a file that is huge but empty, to be collected
# must: be refused, or have it left behind
# needs: isolation
# limits: disk=16MiB
# expect: status=ok|runtime_error|disk_limit
# expect: artifacts=
import os

with open("/work/sparse", "wb") as f:
    os.truncate(f.fileno(), 1 << 40)
