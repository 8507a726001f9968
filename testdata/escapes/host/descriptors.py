# tries: use descriptors that it inherited
# must: find only the box's pipes
# needs: isolation
# expect: status=ok
import os

others = []
for name in sorted(os.listdir("/proc/self/fd"), key=int):
    fd = int(name)
    try:
        target = os.readlink("/proc/self/fd/" + name)
    except OSError:
        continue  # that of the listing itself
    print(fd, target)
    if fd > 2 and not target.startswith("/proc"):
        others.append(target)
    if fd <= 2 and not (target.startswith(("pipe:", "host:")) or target == "/dev/null"):
        print("ESCAPED", fd, target)
if len(others) > 1 or any(t.startswith("/") for t in others):
    print("ESCAPED", others)
