# tries: have a child speak to the host after the parent has ended
# must: not matter
# expect: status=ok
# expect: stdout~=^parent$
# expect: within=15s
import fcntl
import os


def wire():
    """The harness's own pipe to the host."""
    for fd in [1000, *range(3, 2000)]:
        try:
            if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                return fd
        except OSError:
            pass


def fields(*values):
    return b"".join(len(v).to_bytes(4, "big") + v for v in values)


def send(kind, payload=b""):
    data = len(payload).to_bytes(4, "big") + kind + payload
    while data:
        data = data[os.write(wire(), data):]


import time

fd = wire()
if os.fork() == 0:
    os.setsid()
    while True:
        time.sleep(0.01)
        try:
            os.write(fd, b"\0\0\0\0R")
        except OSError:
            pass
print("parent")
