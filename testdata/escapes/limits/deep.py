# tries: overflow the stack
# must: end, without the host noticing
# needs: memory
# limits: cpu=8s wall=15s
# expect: status=runtime_error|killed|memory_limit|cpu_limit|wall_limit
import sys

sys.setrecursionlimit(10**9)


def f():
    f()


f()
