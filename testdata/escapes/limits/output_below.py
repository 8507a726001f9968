# tries: write as much as it may
# must: end well
# limits: output=1MiB kept=4KiB
# expect: status=ok
# expect: hits=
# expect: stdout~=^begin$
# expect: stdout~=^end$
print("begin")
for _ in range(200):
    print("x" * 4095)
print("end")
