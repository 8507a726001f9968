# tries: send small frames without end, each of them wrong
# must: be bounded
# needs: cpu
# limits: wall=10s cpu=8s
# expect: status=aborted|cpu_limit|wall_limit
# expect: anomaly~=more$
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


block = b"\0\0\0\0E" * 10_000
while True:
    data = block
    while data:
        data = data[os.write(wire(), data):]
