# tries: kill the process that waits for it, and everyone else
# must: end, and not as if all were well
# needs: isolation
# limits: wall=10s
# expect: status=killed|runtime_error
# expect: within=6s
kill -9 1 $PPID
kill -9 -1
sleep 1
exit 7
