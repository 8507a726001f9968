# tries: send a value that is not JSON
# must: have it named and dropped; a function that ended well has a value
# entry: solution
# expect: status=runtime_error
# expect: value=
# expect: anomaly~=not JSON
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
    for bad in (b"{", b"NaN", b"\xff", b"1 2", b""):
        send(b"V", bad)
    os._exit(0)
