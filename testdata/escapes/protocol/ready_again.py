# tries: report itself ready a second time, with layers and digests of its own making
# must: be ended; its word changes nothing
# expect: status=aborted
# expect: anomaly~=ready after go
# expect: reason~=ready after go
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

send(b"R", fields(b"tree", b"", b"00" * 32, b"layer", b"memory", b"cgroup", b"layer", b"moat", b"deep"))
time.sleep(10)
