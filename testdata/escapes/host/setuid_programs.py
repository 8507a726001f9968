# tries: find programs that run as root
# must: find none that could
# needs: isolation
# limits: wall=60s cpu=30s
# expect: status=ok
import os
import stat

for folder, folders, files in os.walk("/"):
    if folder == "/":
        folders[:] = [f for f in folders if f not in ("proc", "sys", "dev")]
    if "dist-packages" in folder or "python3" in folder:
        folders[:] = []
        continue
    for name in files:
        try:
            mode = os.lstat(os.path.join(folder, name)).st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            print("ESCAPED", folder, name)
print("done")
