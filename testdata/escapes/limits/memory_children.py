# tries: take all memory in children, each of which takes little
# must: be ended by its memory limit
# needs: memory
# limits: memory=192MiB wall=30s cpu=20s
# expect: status=memory_limit
# expect: hits~=memory
import os
import time

for _ in range(20):
    if os.fork() == 0:
        held = [b"%d" % i * 100_000 for i in range(400)]
        time.sleep(1000)
time.sleep(1000)
