# tries: have a child end its parent and go on
# must: end with the parent
# limits: wall=30s
# expect: status=killed
# expect: signal=SIGKILL
# expect: within=15s
import os
import signal
import time

if os.fork() == 0:
    time.sleep(0.3)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1000)
time.sleep(1000)
