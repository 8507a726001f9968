# tries: compute for ever
# must: be ended by its CPU limit
# needs: cpu
# limits: cpu=1s wall=60s
# expect: status=cpu_limit
# expect: hits=cpu
print("begin", flush=True)
while True:
    pass
