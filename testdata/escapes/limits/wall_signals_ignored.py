# tries: wait for ever with every signal ignored
# must: be ended by its wall limit
# limits: wall=2s
# expect: status=wall_limit
# expect: within=8s
import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
time.sleep(1000)
