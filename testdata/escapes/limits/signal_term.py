# tries: end itself by SIGTERM
# must: be reported as that
# expect: status=killed
# expect: signal=SIGTERM
import os
import signal

os.kill(os.getpid(), signal.SIGTERM)
