# tries: take all memory in one piece
# must: be ended by its memory limit
# needs: memory
# limits: memory=192MiB wall=30s cpu=20s
# expect: status=memory_limit
# expect: hits~=memory
data = bytearray(8 << 30)
for i in range(0, len(data), 4096):
    data[i] = 1
