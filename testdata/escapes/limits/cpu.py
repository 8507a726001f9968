# tries: compute for ever
# must: be ended by its CPU limit
# needs: cpu
# limits: cpu=1s wall=15s
# expect: status=cpu_limit
# expect: hits=cpu
# expect: within=8s
print("begin", flush=True)
while True:
    pass
