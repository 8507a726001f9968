# tries: fill the process table with the dead
# must: be bounded
# needs: processes
# limits: processes=32 wall=15s cpu=8s
# expect: status=process_limit|runtime_error|cpu_limit|wall_limit|ok
# expect: stdout!~=ESCAPED
# expect: within=20s
import os

made = 0
try:
    for _ in range(3000):
        if os.fork() == 0:
            os._exit(0)
        made += 1
finally:
    print("made", made)
    if made > 2000:
        print("ESCAPED")
