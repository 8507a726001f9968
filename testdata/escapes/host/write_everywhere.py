# tries: write anywhere but in its scratch folders
# must: be refused
# needs: isolation
# limits: wall=60s cpu=30s
# expect: status=ok
import os

allowed = ("/work", "/tmp", "/proc/self", "/dev/shm")
roots = ["/"] + ["/" + n for n in os.listdir("/")]
tried = 0
for root in roots:
    for folder, folders, _ in os.walk(root):
        if folder.startswith("/proc/") and folder.count("/") > 2:
            folders[:] = []
            continue
        if tried > 1500 or folder.count("/") > 3:
            folders[:] = []
        tried += 1
        path = os.path.join(folder, "palisade-probe")
        try:
            with open(path, "w") as f:
                f.write("x")
        except OSError:
            continue
        if not folder.startswith(allowed):
            print("ESCAPED", folder)
        os.unlink(path)
    if root == "/":
        continue
print("tried", tried > 20)
