# tries: compute for ever, in children that end
# must: be ended by the limit on the processor
# needs: cpu
# limits: cpu=1s wall=20s
# expect: status=cpu_limit
# expect: hits=cpu
trap '' TERM INT HUP XCPU
while :; do (i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done); done
