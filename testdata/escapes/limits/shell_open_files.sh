# tries: keep more files open than the limit
# must: be refused
# needs: files
# limits: files=32
# expect: status=files_limit
# expect: hits=files
i=0
while [ $i -lt 100 ]; do
	exec {fd}</dev/null || exit 3
	i=$((i + 1))
done
echo ESCAPED
