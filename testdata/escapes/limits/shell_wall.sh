# tries: wait for ever
# must: be ended by the clock
# limits: wall=1s
# expect: status=wall_limit
# expect: hits=wall
# expect: within=4s
trap '' TERM INT HUP
sleep 1000
while :; do sleep 1000; done
