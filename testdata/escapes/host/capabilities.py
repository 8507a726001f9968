# tries: use or gain capabilities
# must: have none
# needs: isolation
# expect: status=ok
# expect: stdout~=^CapEff:\s0+$
import ctypes

for line in open("/proc/self/status"):
    if line.startswith(("Cap", "NoNewPrivs")):
        print(line.strip())
        key, value = line.split()
        if key != "NoNewPrivs:" and int(value, 16):
            print("ESCAPED", line)
libc = ctypes.CDLL(None, use_errno=True)
PR_CAPBSET_READ, PR_CAP_AMBIENT, RAISE = 23, 47, 2
for cap in range(41):
    if libc.prctl(PR_CAPBSET_READ, cap, 0, 0, 0) > 0:
        print("ESCAPED: bounding set has", cap)
    if libc.prctl(PR_CAP_AMBIENT, RAISE, cap, 0, 0) == 0:
        print("ESCAPED: raised", cap)
