# tries: move its root or working directory out of the box
# must: be refused
# needs: isolation
# expect: status=ok
import os

for act in (lambda: os.chroot("/tmp"), lambda: os.chroot("."), lambda: os.fchdir(1000), lambda: os.chdir("/proc/1/root/root")):
    try:
        act()
        print("ESCAPED", os.getcwd())
    except OSError as e:
        print("blocked", e.errno)
path = "."
for _ in range(50):
    path += "/.."
names = set(os.listdir(path))
if names & {"boot", "home", "srv", "media"}:
    print("ESCAPED", names)
