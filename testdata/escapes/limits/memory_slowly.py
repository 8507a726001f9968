# tries: take all memory bit by bit
# must: be ended by its memory limit
# needs: memory
# limits: memory=192MiB wall=30s cpu=20s
# expect: status=memory_limit
# expect: hits~=memory
held = []
while True:
    held.append(b"x" * 1_000_000)
