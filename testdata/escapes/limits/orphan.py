# tries: leave a grandchild that holds the pipes and sleeps
# must: return at once; nothing is left
# limits: wall=30s
# expect: status=ok
# expect: within=15s
# expect: stdout~=^parent$
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
os.wait()
print("parent")
