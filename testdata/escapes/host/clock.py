# tries: set the clock, the host's name, or its own priority
# must: be refused
# needs: isolation
# expect: status=ok
import os
import socket
import time

for act in (lambda: time.clock_settime(time.CLOCK_REALTIME, 0), lambda: socket.sethostname("owned"), lambda: os.setpriority(os.PRIO_PROCESS, 0, -10),
            lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)), lambda: os.nice(-5), os.sync):
    try:
        act()
        print("ESCAPED" if act is not os.sync else "harmless")
    except (OSError, AttributeError) as e:
        print("blocked", e)
