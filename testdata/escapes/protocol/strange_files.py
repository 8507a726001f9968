# tries: leave files that are hard to collect
# must: have the plain one collected, and nothing hang
# needs: isolation
# limits: wall=15s inodes=2000
# expect: status=ok
# expect: within=10s
import os

for name in ("a\nb", "-rf", "\u202etxt", " ", "\udcff", "x" * 255):
    try:
        open(name, "w").write("x")
    except OSError:
        pass
os.mkfifo("fifo")
os.mkdir("locked")
open("locked/in", "w").write("x")
os.chmod("locked", 0)
open("unreadable", "w").write("x")
os.chmod("unreadable", 0)
os.makedirs("/".join(["d"] * 100))
open("good.txt", "w").write("x")
