# tries: read or write the pipe by which it was told to go
# must: find it closed
# expect: status=ok
# expect: stdout~=^blocked
import os

try:
    print("ESCAPED", os.read(3, 100))
except OSError as e:
    print("blocked", e.errno)
