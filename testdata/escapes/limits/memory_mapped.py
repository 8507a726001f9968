# tries: take all memory by mapping it
# must: be ended by its memory limit
# needs: memory
# limits: memory=192MiB wall=30s cpu=20s
# expect: status=memory_limit
# expect: hits~=memory
import mmap

maps = []
while True:
    m = mmap.mmap(-1, 16 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    m.write(b"x" * (16 << 20))
    maps.append(m)
