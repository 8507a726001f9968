# tries: hide its computing in children that end before they are counted
# must: be ended by its CPU limit
# needs: cpu
# limits: cpu=2s wall=60s
# expect: status=cpu_limit
import os

while True:
    pid = os.fork()
    if pid == 0:
        for _ in range(2_000_000):
            pass
        os._exit(0)
    os.waitpid(pid, 0)
