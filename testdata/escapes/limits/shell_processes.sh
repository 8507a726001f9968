# tries: start more processes than the limit, and fail of it
# must: be told apart from a program that fails by itself
# needs: processes
# limits: processes=16 wall=20s
# expect: status=process_limit
# expect: hits=processes
python3 - <<'END'
import os, time
try:
    while True:
        if os.fork() == 0:
            time.sleep(30)
except OSError:
    raise SystemExit(3)
END
