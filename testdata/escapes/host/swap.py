# tries: swap a file for a link while files are collected
# must: give away nothing but its own
# needs: isolation
# limits: cpu=5s wall=8s
# expect: status=ok
# expect: stdout!~=ESCAPED
import os
import threading
import time

open("real", "w").write("mine" * 1000)
os.symlink("/etc/passwd", "other")
for i in range(200):
    open("f%d" % i, "w").write("mine")


def swap():
    while True:
        for name in ("f10", "f50", "f150"):
            try:
                os.rename(name, "tmp"); os.symlink("/etc/passwd", name); os.unlink(name); os.rename("tmp", name)
            except OSError:
                pass


threading.Thread(target=swap, daemon=True).start()
time.sleep(0.2)
