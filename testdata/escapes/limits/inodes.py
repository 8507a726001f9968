# tries: make files without end
# must: see the call fail, and fail
# needs: inodes isolation
# limits: inodes=500 wall=20s
# expect: status=disk_limit
# expect: hits~=inodes
# expect: stdout~=^made [0-9]+$
made = 0
try:
    for i in range(100_000):
        open("/tmp/f%d" % i, "w").close()
        made += 1
finally:
    print("made", made)
    if made > 1100:
        print("ESCAPED")
