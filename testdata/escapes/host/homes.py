# tries: list the homes of the host
# must: find none, or empty ones
# needs: isolation
# expect: status=ok
import os

for path in ("/root", "/home", "/root/.ssh", "/srv", "/mnt", "/media", "/opt", "/var/lib", "/var/log", "/boot"):
    try:
        names = os.listdir(path)
        if names:
            print("ESCAPED", path, names[:5])
    except OSError as e:
        print("blocked", path, e.errno)
