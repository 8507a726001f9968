# tries: report a file twice, and a file as a folder
# must: have the first kept and the rest named
# expect: status=ok
# expect: artifacts=a,b/c
# expect: anomaly~=there already
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


for name in (b"a", b"a", b"a/b", b"b/c", b"b"):
    send(b"F", fields(name, b"1"))
    send(b"D", b"x")
    send(b"E")
