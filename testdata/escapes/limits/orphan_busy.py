# tries: leave a daemon that computes and writes after its parent has ended
# must: return at once; nothing is left
# limits: wall=30s cpu=10s
# expect: status=ok
# expect: within=15s
import os
import signal
import time

if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if os.fork() == 0:
        while True:
            os.write(1, b"still here\n")
            time.sleep(0.01)
    os._exit(0)
os.wait()
