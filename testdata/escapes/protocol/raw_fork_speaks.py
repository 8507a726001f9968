# tries: keep the pipe to the host in a child that no hook sees, and answer when the program is over
# must: change no status, and be named
# entry: f
# expect: status=ok
# expect: value=5
# expect: anomaly~=a second value
import ctypes
import os


def f():
    clone = 56 if os.uname().machine == "x86_64" else 220
    if ctypes.CDLL(None).syscall(clone, 17, 0, 0, 0, 0) == 0:
        os.write(1000, b"\0\0\0\1V7" * 2)
        os._exit(0)
    os.wait()
    return 5
