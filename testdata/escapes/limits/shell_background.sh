# tries: leave a process behind that holds the output open
# must: return at once, with everything dead
# expect: status=ok
# expect: stdout~=^out$
# expect: within=5s
echo out
setsid sleep 1000 &
(trap '' TERM HUP INT; while :; do sleep 1; done) &
nohup sleep 1000 >/dev/null 2>&1 &
exit 0
