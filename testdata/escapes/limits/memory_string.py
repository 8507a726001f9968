# tries: make one huge string or number
# must: be ended by its memory limit
# needs: memory
# limits: memory=192MiB wall=30s cpu=10s
# expect: status=memory_limit|runtime_error|cpu_limit
x = "x" * 10**10
y = 10 ** 10 ** 10
