# tries: make more files than the limit
# must: be refused
# needs: inodes
# limits: inodes=100
# expect: status=disk_limit
# expect: hits=inodes
i=0
while [ $i -lt 300 ]; do
	: >"f$i" || exit 3
	i=$((i + 1))
done
echo ESCAPED
