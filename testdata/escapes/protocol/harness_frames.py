# tries: walk up the stack to the harness and speak through it
# must: get no more than any program: its word is bounded
# expect: status=aborted
# expect: anomaly~=ready after go
import sys
import time

frame = sys._getframe()
while frame is not None:
    channel = getattr(frame.f_locals.get("self"), "channel", None)
    if channel is not None:
        channel.send(b"R", b"")
        time.sleep(10)
    frame = frame.f_back
