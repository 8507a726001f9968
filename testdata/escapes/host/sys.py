# tries: read what the hardware is called
# must: find nothing of the host
# needs: isolation
# expect: status=ok
import glob

for pattern in ("/sys/class/dmi/id/*", "/sys/class/net/*/address", "/sys/block/*/size", "/sys/firmware/*/*",
                "/sys/kernel/security/*", "/sys/kernel/debug/*", "/sys/fs/cgroup/*/*.procs", "/sys/devices/virtual/dmi/*/*"):
    for path in glob.glob(pattern):
        try:
            text = open(path, "rb").read(200).strip()
        except OSError:
            continue
        if text:
            print("ESCAPED", path, text[:60])
print("done")
