# tries: leave a core dump on the host
# must: leave none
# expect: status=killed
# expect: signal=SIGABRT
import os
import resource

try:
    resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))
    print("raised")
except (ValueError, OSError) as e:
    print("blocked", e)
os.abort()
