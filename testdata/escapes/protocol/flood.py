# tries: send frames without end
# must: be ended
# limits: wall=40s cpu=30s
# expect: status=aborted
# expect: anomaly~=bytes of frames
# expect: within=30s
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


block = (262144).to_bytes(4, "big") + b"D" + b"x" * 262144
while True:
    data = block
    while data:
        data = data[os.write(wire(), data):]
