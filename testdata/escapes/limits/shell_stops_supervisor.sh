# tries: stop the process that waits for it
# must: be ended by the clock at the latest
# needs: isolation
# limits: wall=2s
# expect: status=ok|wall_limit
# expect: within=6s
kill -STOP 1 $PPID
exit 0
