# tries: write without end
# must: be ended by its output limit; head and tail are kept
# limits: output=1MiB kept=4KiB wall=20s
# expect: status=output_limit
# expect: hits=output
# expect: stdout~=^begin$
# expect: within=15s
print("begin")
while True:
    print("x" * 4096)
