# tries: take all memory and ignore every error
# must: be ended by its memory limit
# needs: memory
# limits: memory=192MiB wall=12s cpu=8s
# expect: status=memory_limit|wall_limit|cpu_limit
# expect: hits~=memory
held = []
while True:
    try:
        held.append(bytearray(b"x") * 10_000_000)
    except MemoryError:
        pass
