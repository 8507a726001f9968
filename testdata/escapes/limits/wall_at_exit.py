# tries: never finish exiting
# must: be ended by its wall limit
# limits: wall=2s
# expect: status=wall_limit
# expect: within=15s
import atexit
import threading
import time

atexit.register(time.sleep, 1000)
threading.Thread(target=time.sleep, args=(1000,)).start()


class Stay:
    def __del__(self):
        time.sleep(1000)


stay = Stay()
