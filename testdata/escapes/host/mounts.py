# tries: learn from the mount table where things are on the host
# must: see no path of the host
# needs: isolation
# expect: status=ok
for path in ("/proc/self/mounts", "/proc/self/mountinfo", "/proc/self/mountstats", "/proc/self/cgroup", "/proc/self/maps"):
    try:
        print(path)
        print(open(path).read())  # the suite looks for the host's folders in it
    except OSError as e:
        print("blocked", e.errno)
