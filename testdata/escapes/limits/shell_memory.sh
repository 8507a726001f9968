# tries: take more memory than the limit
# must: be ended
# needs: memory
# limits: memory=64MiB cpu=60s wall=60s
# expect: status=memory_limit
# expect: hits~=memory
text=$(head -c 300000000 /dev/zero | tr '\0' x)
echo "ESCAPED ${#text}"
