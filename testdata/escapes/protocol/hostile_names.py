# tries: report files whose names lead elsewhere
# must: have every one of them refused and named
# expect: status=ok
# expect: artifacts=good.txt
# expect: anomaly~=etc/passwd
# expect: anomaly~=refused
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


names = [b"/etc/passwd", b"../up", b"a/../../up", b"", b".", b"..", b"./x", b"a//b", b"a/", b"-rf", b"a/-rf", b"a\nX-Evil: 1", b"a\r", b"a\0b",
         b"\xff\xfe", "\u202egnp.exe".encode(), "a\u200bb".encode(), b"\x1b[31m", b"a\\b", b"x" * 2000, b"y" * 300, b"/".join([b"d"] * 60), b" lead", b"C:\\x"]
for name in names:
    send(b"F", fields(name, b"1"))
    send(b"D", b"x")
    send(b"E")
send(b"F", fields(b"good.txt", b"1"))
send(b"D", b"x")
send(b"E")
