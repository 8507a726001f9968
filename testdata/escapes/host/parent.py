# tries: signal a process outside of the box
# must: find nobody but itself
# needs: isolation
# expect: status=ok
import os
import signal

print(os.getpid(), os.getppid())
if os.getppid() != 0:
    print("ESCAPED: there is a parent")
me = os.getpid()
for pid in range(1, 5000):
    if pid == me:
        continue
    try:
        os.kill(pid, 0)
        print("ESCAPED: can signal", pid)
    except OSError:
        pass
