# tries: make whoever reads wait: never end a line, never flush
# must: not matter
# limits: kept=4KiB
# expect: status=ok
# expect: stdout~=^x+$
import sys

sys.stdout.write("x" * 3_000_000)
