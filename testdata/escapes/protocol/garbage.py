# tries: write noise into the harness's pipe
# must: have it named; nothing else changes
# expect: status=ok
# expect: stdout~=^after$
# expect: anomaly~=.
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


os.write(wire(), os.urandom(100_000))
print("after")
