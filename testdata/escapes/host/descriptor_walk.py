# tries: walk from an open descriptor to the host's file system
# must: stay inside
# needs: isolation
# expect: status=ok
import os

for fd in range(0, 1100):
    for path in ("../../../../../../etc/shadow", "../../../../../../root/.bashrc", "root/.profile"):
        try:
            os.close(os.open(path, os.O_RDONLY, dir_fd=fd))
            print("ESCAPED", fd, path)
        except OSError:
            pass
for path in ("/proc/1/root/root/.bashrc", "/proc/1/cwd/../root/.bashrc", "/proc/self/root/../../etc/shadow", "/proc/1/fd/0/../../etc/shadow"):
    try:
        os.close(os.open(path, os.O_RDONLY))
        print("ESCAPED", path)
    except OSError as e:
        print("blocked", path, e.errno)
