# tries: fill the disk
# must: be refused
# needs: disk
# limits: disk=4MiB
# expect: status=disk_limit
# expect: hits=disk
head -c 50000000 /dev/zero >big 2>/dev/null
status=$?
head -c 50000000 /dev/zero >/tmp/big 2>/dev/null
exit $status
