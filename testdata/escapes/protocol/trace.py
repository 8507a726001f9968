# tries: trace or profile the harness to change how it ends
# must: get what it could have had by exiting: the code that the host sees
# expect: status=ok|runtime_error
import sys
import threading


def trace(frame, event, arg):
    if frame.f_code.co_name in ("attempt", "go", "send_files", "exit_code"):
        raise SystemExit(0)
    return trace


sys.settrace(trace)
sys.setprofile(lambda *a: None)
frame = sys._getframe()
while frame is not None:
    frame.f_trace = trace
    frame = frame.f_back
raise ValueError("failed")
