# tries: fork for ever
# must: be contained, whatever ends it
# needs: processes
# limits: processes=32 cpu=5s wall=10s
# expect: status=process_limit|cpu_limit|wall_limit|memory_limit|runtime_error
# expect: hits~=processes
# expect: within=15s
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
