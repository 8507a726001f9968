# tries: open more files than it may
# must: see the call fail, and fail
# needs: files
# limits: files=32
# expect: status=files_limit
# expect: hits=files
# expect: stdout~=^opened [0-9]+$
held = []
try:
    while True:
        held.append(open("/dev/null"))
finally:
    print("opened", len(held))
    if not 20 < len(held) <= 32:
        print("ESCAPED")
