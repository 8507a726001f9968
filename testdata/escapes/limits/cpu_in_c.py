# tries: compute for ever in C code, where Python looks at no signal
# must: be ended by its CPU limit
# needs: cpu
# limits: cpu=1s wall=60s
# expect: status=cpu_limit
import re

re.match(r"(a*)*b", "a" * 64)
