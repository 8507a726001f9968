# tries: keep the harness from ending the process
# must: be ended by its wall limit
# limits: wall=2s
# expect: status=wall_limit
# expect: within=15s
import posix


def never(code):
    while True:
        import time
        time.sleep(1)


posix._exit = never
