# tries: signal a process outside of the box
# must: find nobody but itself
# needs: isolation
# expect: status=ok
import os
import signal

print(os.getpid(), os.getppid())
# Where the box's first process is not the program's, that is the parent: it can be
# neither seen nor signalled.
if os.getppid() not in (0, 1) or os.getppid() and os.path.exists("/proc/%d" % os.getppid()):
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
