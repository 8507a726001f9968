# tries: fill /tmp
# must: see the write fail, and fail
# needs: disk isolation
# limits: disk=16MiB memory=512MiB wall=20s
# expect: status=disk_limit
# expect: hits~=disk
# expect: stdout~=^wrote [0-9]+ MiB$
wrote = 0
try:
    for i in range(200):
        with open("/tmp/f%d" % i, "wb") as f:
            f.write(b"x" * (1 << 20))
        wrote += 1
finally:
    print("wrote", wrote, "MiB")
    if wrote > 18:
        print("ESCAPED")
