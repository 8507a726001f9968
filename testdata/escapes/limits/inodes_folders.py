# tries: make folders and links without end
# must: be bounded
# needs: inodes isolation
# limits: inodes=500 wall=20s
# expect: status=disk_limit|runtime_error|memory_limit
# expect: hits~=inodes
import os

for i in range(100_000):
    os.mkdir("/work/d%d" % i)
    os.symlink("x", "/tmp/l%d" % i)
