# tries: start a process when only threads are allowed
# must: be refused with an errno; threads work
# needs: deny
# deny: fork
# expect: status=ok
# expect: stdout~=^thread 42$
# expect: stdout!~=ESCAPED
import ctypes
import os
import threading

for act in (os.fork, os.forkpty):
    try:
        if act() == 0:
            os._exit(0)
        print("ESCAPED")
    except OSError as e:
        print("blocked", e.errno)
libc = ctypes.CDLL(None, use_errno=True)
for number in (57, 58, 435):  # fork, vfork, clone3
    if number == 58:
        continue  # shares the stack: only with assembly
    got = libc.syscall(number, 0, 0)
    if got == 0:
        os._exit(0)
    print("ESCAPED" if got > 0 else "blocked", ctypes.get_errno())
result = []
thread = threading.Thread(target=lambda: result.append(42))
thread.start()
thread.join()
print("thread", *result)
