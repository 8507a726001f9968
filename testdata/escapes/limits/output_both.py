# tries: spread its output over both streams and threads
# must: be ended by its output limit, which counts them together
# limits: output=1MiB kept=4KiB wall=20s
# expect: status=output_limit
# expect: hits=output
# expect: within=15s
import os
import threading


def flood(fd):
    while True:
        os.write(fd, b"y" * 4096)


for fd in (1, 2, 1, 2):
    threading.Thread(target=flood, args=(fd,)).start()
