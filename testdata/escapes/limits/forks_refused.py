# tries: have more processes than it may
# must: see the call fail, and fail
# needs: processes
# limits: processes=32 wall=20s
# expect: status=process_limit
# expect: hits=processes
# expect: stdout~=^forked [0-9]+$
import os
import time

children = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(1000)
        children += 1
finally:
    print("forked", children)
    if not 10 < children <= 32:
        print("ESCAPED", children)
