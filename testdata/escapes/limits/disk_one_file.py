# tries: write one file of any size
# must: see the write fail, and fail
# needs: disk isolation
# limits: disk=16MiB memory=512MiB wall=20s
# expect: status=disk_limit
# expect: hits~=disk
with open("/work/big", "wb") as f:
    while f.tell() < 64 << 20:
        f.write(b"x" * (1 << 20))
print("ESCAPED", f.tell())
