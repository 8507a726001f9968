# tries: sleep for ever after it closed every descriptor
# must: be ended by its wall limit
# limits: wall=2s
# expect: status=wall_limit
# expect: within=8s
import os
import time

os.closerange(0, 5000)
time.sleep(1000)
