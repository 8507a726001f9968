# tries: spread its computing over threads that release the lock
# must: be ended by its CPU limit, which counts them together
# needs: cpu
# limits: cpu=2s wall=60s
# expect: status=cpu_limit
import hashlib
import threading

data = b"x" * 10_000_000


def work():
    while True:
        hashlib.sha256(data).digest()


for _ in range(4):
    threading.Thread(target=work).start()
