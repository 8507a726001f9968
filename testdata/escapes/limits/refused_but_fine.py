# tries: reach a limit that only refuses, and go on
# must: end well, with the limit named
# needs: files
# limits: files=32
# expect: status=ok
# expect: hits=files
# expect: stdout~=^fine$
held = []
try:
    while True:
        held.append(open("/dev/null"))
except OSError:
    held.clear()
print("fine")
