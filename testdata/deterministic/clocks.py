import datetime
import time
began = time.perf_counter()
time.sleep(0.05)
print("took", time.perf_counter() - began, time.monotonic(), time.time_ns())
print(datetime.datetime.now(), datetime.datetime.now(datetime.timezone.utc).isoformat(), time.tzname, time.localtime())
n, until = 0, time.time() + 0.5
while time.time() < until:
    n += 1
print("looked", n, "times")
