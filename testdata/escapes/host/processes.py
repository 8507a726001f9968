# tries: see the processes of the host
# must: see only the box's own
# needs: isolation
# expect: status=ok
# expect: stdout~=^own: 1$
import os

own = 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        line = open("/proc/" + pid + "/cmdline", "rb").read()
    except OSError:
        continue
    if b"python" in line:
        own += 1
    elif line:
        print("ESCAPED", pid, line)
print("own:", own)
