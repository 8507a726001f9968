# tries: report files that are longer or shorter than declared, or end without a beginning
# must: have none of them kept
# expect: status=ok
# expect: artifacts=
# expect: anomaly~=declared
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


send(b"D", b"x")
send(b"E")
send(b"F", fields(b"long", b"1"))
send(b"D", b"xx")
send(b"E")
send(b"F", fields(b"short", b"10"))
send(b"D", b"x")
send(b"E")
send(b"F", fields(b"huge", b"99999999999999"))
send(b"E")
send(b"F", fields(b"negative", b"-1"))
send(b"F", fields(b"nonsense", b"0x10"))
send(b"F", fields(b"one field"))
send(b"F", b"\0\0\xff\xffabc")
send(b"F", fields(b"open", b"3"))
