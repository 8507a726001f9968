# tries: start processes for ever, and go on when they are refused
# must: be refused; the shell that gives up is told apart from one that fails by itself
# needs: processes
# limits: processes=24 wall=60s cpu=20s
# expect: status=process_limit
# expect: hits=processes
while :; do sleep 100 & done
