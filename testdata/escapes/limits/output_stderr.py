# tries: write to standard error without end
# must: be ended by its output limit
# limits: output=1MiB kept=4KiB wall=20s
# expect: status=output_limit
# expect: hits=output
# expect: within=15s
import os

while True:
    os.write(2, b"e" * 65536)
