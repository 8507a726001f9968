# tries: take more memory than the limit in many small processes
# must: be ended
# needs: memory
# limits: memory=96MiB cpu=60s wall=60s processes=64
# expect: status=memory_limit
# expect: hits~=memory
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	(text=$(head -c 30000000 /dev/zero | tr '\0' x); sleep 50; echo "${#text}" >/dev/null) &
done
wait
echo ESCAPED
exit 1
