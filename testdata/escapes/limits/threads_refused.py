# tries: have more threads than it may
# must: see the call fail, and fail
# needs: processes
# limits: processes=32 wall=20s
# expect: status=process_limit
# expect: hits~=processes
# expect: stdout~=^threads [0-9]+$
import threading

stop = threading.Event()
threads = 0
try:
    while True:
        threading.Thread(target=stop.wait, daemon=True).start()
        threads += 1
finally:
    print("threads", threads)
    if not 10 < threads <= 32:
        print("ESCAPED", threads)
