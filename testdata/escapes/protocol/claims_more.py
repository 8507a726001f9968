# tries: announce a long frame and send a short one
# must: have it named; a function that ended well has a value
# entry: solution
# expect: status=runtime_error
# expect: value=
# expect: anomaly~=of 1000000 bytes
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


def solution():
    os.write(wire(), (1000000).to_bytes(4, "big") + b"V" + b"1" * 10)
    os._exit(0)
