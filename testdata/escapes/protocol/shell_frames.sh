# tries: speak to the host in the harness's name
# must: be no success that the host did not see
# needs: isolation
# expect: status=runtime_error|aborted|killed
# expect: stdout!~=ESCAPED
for fd in /proc/1/fd/1000 /proc/$PPID/fd/1000 /proc/1/fd/4; do
	printf '\0\0\0\2V42' >"$fd"
	printf '\0\0\0\0R' >"$fd"
done 2>/dev/null
exit 3
