# tries: read the environment of the host, its own or another process's
# must: see only the box's few variables
# needs: isolation
# expect: status=ok
# expect: stdout~=^TMPDIR$
import glob
import os

known = {"PATH", "LANG", "HOME", "TMPDIR", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
         "NUMEXPR_NUM_THREADS", "MPLBACKEND", "MPLCONFIGDIR", "LC_CTYPE", "MALLOC_ARENA_MAX"}
for name in sorted(os.environ):
    print(name if name in known else "ESCAPED " + name)
for path in glob.glob("/proc/*/environ"):
    try:
        for pair in open(path, "rb").read().split(b"\0"):
            if pair and pair.split(b"=")[0].decode() not in known:
                print("ESCAPED", path, pair)
    except OSError as e:
        print("blocked", path, e.errno)
