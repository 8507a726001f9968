# tries: send frames that do not exist
# must: have the first named and the rest ignored
# expect: status=ok
# expect: anomaly~=unknown type
# expect: artifacts=
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


for kind in (b"Z", b"G", b"P", b"\0", b"\xff"):
    send(kind, b"x" * 10)
send(b"F", fields(b"late.txt", b"4"))
send(b"D", b"late")
send(b"E")
