# tries: spread its computing over children
# must: be ended by its CPU limit, which counts them together
# needs: cpu
# limits: cpu=2s wall=60s
# expect: status=cpu_limit
import os

for _ in range(4):
    if os.fork() == 0:
        while True:
            pass
while True:
    os.wait()
