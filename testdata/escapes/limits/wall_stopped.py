# tries: stop itself
# must: be ended by its wall limit
# needs: isolation
# limits: wall=2s
# expect: status=wall_limit
# expect: within=8s
import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)
while True:
    signal.pause()
