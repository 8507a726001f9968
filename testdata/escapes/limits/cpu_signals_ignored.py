# tries: compute for ever with every signal ignored
# must: be ended by its CPU limit
# needs: cpu
# limits: cpu=1s wall=60s
# expect: status=cpu_limit
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True:
    pass
