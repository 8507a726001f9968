# tries: hold the memory of the box's kernel with hundreds of thousands of small mappings
# must: be refused or ended by a limit
# limits: cpu=20s wall=20s memory=128MiB
# expect: status=ok|memory_limit|cpu_limit|wall_limit|runtime_error
# expect: within=21s
import mmap

kept = []
try:
    for i in range(300000):
        kept.append(mmap.mmap(-1, 4096, prot=1 + 2 * (i % 2)))
except (OSError, MemoryError, ValueError) as error:
    print(error)
