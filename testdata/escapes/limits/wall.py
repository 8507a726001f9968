# tries: sleep for ever
# must: be ended by its wall limit
# limits: wall=2s
# expect: status=wall_limit
# expect: hits=wall
# expect: within=8s
# expect: stdout~=^begin$
import time

print("begin")
while True:
    time.sleep(1000)
