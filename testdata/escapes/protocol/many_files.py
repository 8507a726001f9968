# tries: leave more files than are kept
# must: have some kept, and the host unharmed
# limits: wall=30s inodes=5000
# expect: status=ok
# expect: within=20s
import os

os.mkdir("many")
for i in range(1500):
    open("many/%d" % i, "w").write("x")
