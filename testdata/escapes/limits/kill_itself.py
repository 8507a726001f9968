# tries: look like a program that was ended for its memory
# must: be told apart
# expect: status=killed
# expect: signal=SIGKILL
# expect: hits=
# expect: exit=-1
import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
